// Job manifests: Kubernetes jobs of several kinds, Ray jobs and SkyPilot tasks. Their YAML says how many pods there are and how many GPUs
// each of them has; what the pods run is a command of words, or shell text in which every word keeps its place.
#include <algorithm>

#include <fmt/format.h>

#include "checker/launch/reader.h"

namespace shardlint::launch {

namespace {

using shell::Text;

struct Group {
  Count pods;
  std::optional<i64> count = 1;
  const Node* container = nullptr;  // that carries GPUs, or the first
  Count gpus;                       // of one pod
};

class Manifest {
 public:
  Manifest(Reader& reader, const DocumentPtr& document, const Node& root) : reader_(reader), document_(document), root_(root) {}

  void read() {
    const std::string kind = word(root_, "kind");
    const Node* spec = at(root_, "spec");
    if (kind.empty() && at(root_, "run")) return sky();
    if (!spec) return;
    if (kind == "TrainJob") return train_job(*spec);
    if (kind == "RayJob" || kind == "RayCluster")
      return ray(kind == "RayJob" ? at(*spec, "rayClusterSpec") : spec, at(*spec, "entrypoint"));
    std::vector<Group> groups;
    if (kind == "PyTorchJob") {
      if (const Node* replicas = at(*spec, "pytorchReplicaSpecs"))
        for (const Entry* entry : document_->entries(*replicas)) groups.push_back(group(*entry->value, at(*entry->value, "replicas")));
    } else if (kind == "JobSet") {
      if (const Node* jobs = at(*spec, "replicatedJobs"))
        for (const Item& item : jobs->items) {
          const Node* inner = at(*item.value, "template");
          inner = inner ? at(*inner, "spec") : nullptr;
          if (!inner) continue;
          Group one = group(*inner, at(*inner, "parallelism"));
          const Count copies = number(at(*item.value, "replicas"));
          if (copies.said) one.count = product_of(one.count, copies.value), one.pods = copies;
          groups.push_back(std::move(one));
        }
    } else if (kind == "Job" && at(*spec, "tasks")) {
      for (const Item& item : at(*spec, "tasks")->items) groups.push_back(group(*item.value, at(*item.value, "replicas")));
    } else if (kind == "Job") {
      groups.push_back(group(*spec, at(*spec, "parallelism")));
    } else if (kind == "StatefulSet") {
      groups.push_back(group(*spec, at(*spec, "replicas")));
    } else if (kind == "LeaderWorkerSet") {
      leader_worker(*spec, groups);
    } else if (kind == "MPIJob") {
      return mpi(*spec);
    }
    run(groups);
  }

 private:
  static std::optional<i64> product_of(std::optional<i64> a, std::optional<i64> b) {
    return a && b && *a < 1'000'000 && *b < 1'000'000 ? std::optional(*a * *b) : std::nullopt;
  }
  const Node* at(const Node& node, std::string_view key) const {
    if (node.kind != Node::Kind::Mapping) return nullptr;
    const Entry* entry = document_->find(node, key);
    return entry ? entry->value : nullptr;
  }
  std::string word(const Node& node, std::string_view key) const {
    const Node* found = at(node, key);
    return found && found->kind == Node::Kind::Scalar ? found->text : "";
  }

  // A scalar's text, each of its words where it stands.
  Text text(const Node& node) const {
    Text out;
    const std::string_view raw = document_->raw(node.range);
    std::size_t cursor = 0;
    const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t'; };
    for (std::size_t begin = 0; begin < node.text.size();) {
      std::size_t end = begin;
      const bool space = blank(node.text[begin]);
      while (end < node.text.size() && blank(node.text[end]) == space) ++end;
      const std::string piece = node.text.substr(begin, end - begin);
      const std::size_t found = space ? std::string_view::npos : raw.find(piece, cursor);
      if (found != std::string_view::npos) {
        const auto first = node.range.begin + static_cast<std::uint32_t>(found);
        out.append(Text::of(document_->source, Range{first, first + static_cast<std::uint32_t>(piece.size())}));
        cursor = found + piece.size();
      } else {
        out.append(Text::given(piece, document_->place(node.range)));
      }
      begin = end;
    }
    return out;
  }

  Count number(const Node* node) const {
    Count out;
    if (!node || node->kind != Node::Kind::Scalar) return out;
    out.said = true, out.text = text(*node), out.value = whole(out.text);
    return out;
  }

  Count gpus_of(const Node* resources) const {
    if (resources)
      for (const char* which : {"limits", "requests"})
        if (const Node* amounts = at(*resources, which))
          for (const char* name : {"nvidia.com/gpu", "amd.com/gpu"})
            if (const Count found = number(at(*amounts, name)); found.said) return found;
    return {};
  }

  // Pods of one template.
  Group group(const Node& holder, const Node* replicas) const {
    Group out;
    out.pods = number(replicas);
    if (out.pods.said) out.count = out.pods.value;
    const Group one = pod(at(holder, "template"));
    out.container = one.container, out.gpus = one.gpus;
    return out;
  }
  Group pod(const Node* pod_template) const {
    Group out;
    const Node* pod = pod_template ? at(*pod_template, "spec") : nullptr;
    const Node* containers = pod ? at(*pod, "containers") : nullptr;
    if (!containers) return out;
    for (const Item& item : containers->items) {
      const Count gpus = gpus_of(at(*item.value, "resources"));
      if (!out.container || (gpus.said && !out.gpus.said)) out.container = item.value;
      if (!gpus.said) continue;
      if (out.gpus.said && out.gpus.value && gpus.value)
        out.gpus.value = *out.gpus.value + *gpus.value;
      else
        out.gpus = gpus;
    }
    return out;
  }

  Context context_of(const std::vector<Group>& groups) const {
    Context out;
    out.slurm = true;
    std::optional<i64> pods = 0;
    for (const Group& one : groups) {
      if (!one.gpus.said) continue;
      pods = pods && one.count ? std::optional(*pods + *one.count) : std::nullopt;
      if (one.pods.said) out.job.nodes = one.pods;
      if (out.job.gpus_per_node.said && out.job.gpus_per_node.value != one.gpus.value)
        out.job.gpus_per_node.value.reset();
      else
        out.job.gpus_per_node = one.gpus;
    }
    if (!out.job.gpus_per_node.said) return out;
    out.job.any = true;
    if (!out.job.nodes.said) out.job.nodes = out.job.gpus_per_node;
    out.job.nodes.value = pods;
    out.step = out.job, out.in_step = true, out.told_its_rank = true;
    return out;
  }

  shell::Environment environment(const Node* list) const {
    shell::Environment out;
    if (!list) return out;
    for (const Item& item : list->items) {
      const Node* value = at(*item.value, "value");
      const std::string name = word(*item.value, "name");
      if (!name.empty() && value && value->kind == Node::Kind::Scalar) out.insert_or_assign(name, text(*value));
    }
    return out;
  }

  // The words of `command` and `args`.
  void words(const Node& holder, shell::Environment environment, const Context& context) {
    shell::Command command;
    for (const char* key : {"command", "args"})
      if (const Node* list = at(holder, key))
        for (const Item& item : list->items) {
          if (item.value->kind != Node::Kind::Scalar) continue;
          shell::Word one;
          one.text = text(*item.value), one.place = document_->place(item.value->range);
          command.argv.push_back(std::move(one));
        }
    if (command.argv.empty()) return;
    command.place = command.argv[0].place;
    command.environment = std::make_shared<const shell::Environment>(environment);
    reader_.command(std::move(command), std::move(environment), context);
  }

  void run(const std::vector<Group>& groups) {
    const Context context = context_of(groups);
    const Node* seen = nullptr;
    for (const Group& one : groups) {
      if (!one.container || one.container == seen) continue;
      seen = one.container;
      Context here = context;
      here.in_step = context.in_step && one.gpus.said;
      words(*one.container, environment(at(*one.container, "env")), here);
    }
  }

  // Every replica is a group of `size` pods, a leader and its workers; a leader without a template of its own is one of them.
  void leader_worker(const Node& spec, std::vector<Group>& groups) const {
    const Node* pods = at(spec, "leaderWorkerTemplate");
    if (!pods) return;
    const Count copies = number(at(spec, "replicas")), size = number(at(*pods, "size"));
    const i64 leaders = at(*pods, "leaderTemplate") ? 1 : 0;
    const std::optional<i64> all = copies.said ? copies.value : std::optional<i64>(1),
                             each = size.said ? size.value : std::optional<i64>(1);
    if (leaders) {
      Group leader = pod(at(*pods, "leaderTemplate"));
      leader.pods = copies, leader.count = all;
      groups.push_back(std::move(leader));
    }
    Group workers = pod(at(*pods, "workerTemplate"));
    workers.pods = size.said ? size : copies;
    workers.count = each ? product_of(all, *each - leaders) : std::nullopt;
    groups.push_back(std::move(workers));
  }

  // The launcher's pod starts mpirun and has no GPU; the ranks run on the workers, as many on each as there are slots.
  void mpi(const Node& spec) {
    const Node* replicas = at(spec, "mpiReplicaSpecs");
    const Node* launcher = replicas ? at(*replicas, "Launcher") : nullptr;
    const Node* worker = replicas ? at(*replicas, "Worker") : nullptr;
    if (!launcher || !worker) return;
    const Count slots = number(at(spec, "slotsPerWorker"));
    std::vector<Group> groups;
    groups.push_back(group(*worker, at(*worker, "replicas")));
    if (!groups[0].gpus.said) groups[0].gpus = slots;
    Context context = context_of(groups);
    context.in_step = false;
    const Group start = group(*launcher, nullptr);
    if (start.container) words(*start.container, environment(at(*start.container, "env")), context);
  }

  void train_job(const Node& spec) {
    const Node* trainer = at(spec, "trainer");
    if (!trainer) return;
    Group pods;
    pods.pods = number(at(*trainer, "numNodes"));
    pods.count = pods.pods.said ? pods.pods.value : std::nullopt;
    pods.gpus = gpus_of(at(*trainer, "resourcesPerNode"));
    const Count each = number(at(*trainer, "numProcPerNode"));
    if (!pods.gpus.said && each.value) pods.gpus = each;
    const Context context = context_of({pods});
    shell::Environment variables = environment(at(*trainer, "env"));
    if (pods.pods.said) variables.insert_or_assign("PET_NNODES", pods.pods.text);
    variables.insert_or_assign("PET_NPROC_PER_NODE", each.said ? each.text : Text::given("auto", document_->place(trainer->range)));
    words(*trainer, std::move(variables), context);
  }

  void ray(const Node* cluster, const Node* entrypoint) {
    if (!cluster || !entrypoint || entrypoint->kind != Node::Kind::Scalar) return;
    std::vector<Group> groups;
    if (const Node* head = at(*cluster, "headGroupSpec")) groups.push_back(group(*head, nullptr));
    if (const Node* workers = at(*cluster, "workerGroupSpecs"))
      for (const Item& item : workers->items) {
        Group one = group(*item.value, at(*item.value, "replicas"));
        if (const Count hosts = number(at(*item.value, "numOfHosts")); hosts.said) one.count = product_of(one.count, hosts.value);
        groups.push_back(std::move(one));
      }
    Context context = context_of(groups);
    context.in_step = false;  // the entry point starts once, and Ray makes the processes
    reader_.text(text(*entrypoint), {}, context);
  }

  void sky() {
    const Node* script = at(root_, "run");
    const Node* resources = at(root_, "resources");
    if (script->kind != Node::Kind::Scalar || (!resources && !at(root_, "num_nodes"))) return;
    Context context;
    context.slurm = true;
    context.job.any = true;
    const Node* kinds = resources ? at(*resources, "accelerators") : nullptr;
    shell::Environment variables;
    if (const Node* envs = at(root_, "envs"))
      for (const Entry* entry : document_->entries(*envs))
        if (entry->value && entry->value->kind == Node::Kind::Scalar) variables.insert_or_assign(entry->key, text(*entry->value));
    Count nodes = number(at(root_, "num_nodes"));
    if (nodes.said) context.job.take("nodes", nodes);
    if (kinds && kinds->kind == Node::Kind::Scalar) {
      Count gpus;
      gpus.text = text(*kinds);
      context.job.take("gpus-per-node", gpus);
    } else if (kinds && kinds->kind == Node::Kind::Mapping && kinds->entries.size() == 1) {
      Count gpus = number(kinds->entries[0].value);
      Count model;
      model.text = Text::given(kinds->entries[0].key, document_->place(kinds->entries[0].key_range));
      context.job.take("constraint", model);
      if (gpus.said) context.job.take("gpus-per-node", gpus);
    }
    const auto set = [&](const char* name, const std::optional<i64>& value, const Count& by) {
      if (value)
        variables.insert_or_assign(name, Text::given(std::to_string(*value), by.said ? by.text.place() : document_->place(root_.range)));
    };
    set("SKYPILOT_NUM_NODES", context.job.node_count(), context.job.nodes);
    set("SKYPILOT_NUM_GPUS_PER_NODE", context.job.gpus_on_node(), context.job.gpus_per_node);
    context.step = context.job, context.in_step = true;
    reader_.text(text(*script), std::move(variables), context);
  }

  Reader& reader_;
  const DocumentPtr& document_;
  const Node& root_;
};

}  // namespace

Reading read_manifest(const Files& files, const DocumentPtr& document, const World& world) {
  Reader reader(files, document->source, world);
  for (const Node* root : document->roots)
    if (root->kind == Node::Kind::Mapping) Manifest(reader, document, *root).read();
  return reader.done();
}

}  // namespace shardlint::launch
