#include "checker/launch/launchers.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/diag/launch.h"
#include "checker/shell/edit.h"

namespace shardlint::launch {

namespace {

using shell::Text;

std::optional<i64> product(std::optional<i64> a, std::optional<i64> b) {
  i64 out = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

Training begin(const Launch& launch, std::string launcher) {
  Training out;
  out.name = launch.context.name, out.command = launch.command, out.launcher = std::move(launcher);
  out.environment_known = !launch.context.sourced;
  out.environment_passes = launch.context.environment_passes;
  if (launch.context.job.job_name.said) out.job_name = launch.context.job.job_name.text;
  out.mounts = launch.context.mounts, out.workdir = launch.context.workdir;
  return out;
}

void put(Training& training, Fact fact) {
  std::erase_if(training.cluster, [&](const Fact& other) { return other.path == fact.path; });
  training.cluster.push_back(std::move(fact));
}
const Fact* fact(const Training& training, std::string_view path) {
  for (const Fact& one : training.cluster)
    if (one.path == path) return &one;
  return nullptr;
}
std::optional<i64> number_of(const Training& training, std::string_view path) {
  const Fact* one = fact(training, path);
  return one && one->value.integer() ? std::optional(*one->value.integer()) : std::nullopt;
}
Fact unknown(std::string_view field, const Count& by) {
  Fact out = by.fact(field);
  out.value = Value(), out.spot = nullptr;
  if (out.open.empty()) out.open = "not all that it follows from is known";
  return out;
}

const Request& request(const Context& context) { return context.step ? *context.step : context.job; }

Finding& say(Training& training, const RuleInfo& info, const Count& at, std::string message, std::string effect) {
  Finding& finding = training.findings.emplace_back();
  finding.rule = info.name, finding.family = info.family, finding.severity = info.severity;
  finding.message = std::move(message), finding.effect = std::move(effect), finding.place = at.place();
  return finding;
}

Count variable(const CommandPtr& command, const char* name) {
  Count out;
  const auto found = command->environment->find(name);
  if (found == command->environment->end()) return out;
  out.said = true, out.text = found->second, out.value = whole(out.text);
  return out;
}

// A directive that is not there yet.
class DirectiveSpot : public Spot {
 public:
  DirectiveSpot(shell::Comment below, std::string option) : below_(std::move(below)), option_(std::move(option)) {}
  std::optional<std::vector<Edit>> write(const Value& to) const override {
    return shell::insert_line(below_, fmt::format("#SBATCH --{}={}", option_, to_string(to)));
  }
  std::optional<std::vector<Edit>> remove() const override { return std::nullopt; }
  std::optional<std::vector<Edit>> rename(std::string_view) const override { return std::nullopt; }

 private:
  shell::Comment below_;
  std::string option_;
};

// How many servers are kept in one NVLink domain: none are where nobody asks for it.
Fact segment(const Request& step, const shell::Comment& last) {
  if (step.segment.said) return step.segment.fact("segment");
  Fact out;
  out.path = out.spelled = "segment", out.attached = true, out.way = Way::Word;
  out.value = 0, out.place = out.key_place = last.place;
  out.spot = std::make_shared<DirectiveSpot>(last, "segment");
  return out;
}

// What the scheduler hands over.
void scheduled(Training& training, const Context& context) {
  const Request& step = request(context);
  if (!step.gpu.empty()) {
    Fact fact = step.gpu_at.fact("gpu");
    fact.value = step.gpu, fact.open.clear(), fact.spot = nullptr;
    put(training, std::move(fact));
  }
  if (!context.slurm && !context.in_step) return;
  const std::optional<i64> nodes = step.node_count(), gpus = step.gpus_on_node();
  if (step.nodes.said) {
    put(training, step.nodes.fact("nodes"));
    put(training, step.nodes.fact("allocated_nodes"));
  } else if (nodes && context.job.any) {
    const Count& by = step.tasks_said().said ? step.tasks_said() : step.gpus_said();
    if (by.said) put(training, by.fact("nodes", *nodes)), put(training, by.fact("allocated_nodes", *nodes));
  }
  if (gpus && step.gpus_said().said) {
    put(training, step.gpus_said().fact("gpus_per_node", *gpus));
    const bool direct = step.gpus_per_node.said && step.gpus_per_node.value == gpus;
    put(training, direct ? step.gpus_per_node.fact("allocated_gpus_per_node") : step.gpus_said().fact("allocated_gpus_per_node", *gpus));
  } else if (step.gpus_per_node.said && !step.gpus_per_node.text.known()) {
    put(training, step.gpus_per_node.fact("gpus_per_node"));
  }
  if (context.last_directive) put(training, segment(step, *context.last_directive));
}

// CUDA_VISIBLE_DEVICES caps the devices of a node.
void visible(Training& training) {
  const auto& environment = *training.command->environment;
  const auto found = environment.find("CUDA_VISIBLE_DEVICES");
  if (found == environment.end() || !found->second.known()) return;
  const std::string list = *found->second.str();
  if (list.empty() || list == "-1") return;
  const i64 count = 1 + std::count(list.begin(), list.end(), ',');
  Count at;
  at.said = true, at.text = found->second;
  put(training, at.fact("visible_gpus", count));
  put(training, at.fact("gpus_per_node", count));
}

void allocation(Training& training, const Context& context) {
  scheduled(training, context);
  visible(training);
}

// How often the launcher starts on each server.
void copies(Training& training, const Context& context) {
  if (!context.in_step) return;
  const Request& step = request(context);
  if (const std::optional<i64> each = step.tasks_on_node(); each && step.tasks_said().said)
    put(training, step.ntasks.said || !step.ntasks_per_node.said ? step.tasks_said().fact("launchers_per_node", *each)
                                                                 : step.ntasks_per_node.fact("launchers_per_node"));
}

// Where the ranks of several servers are to meet.
void meeting(Training& training, const Count& where, std::string_view spelled) {
  if (!where.said || !where.text.known() || where.text.by_default()) return;
  const std::string all = where.text.flat(), host = all.substr(0, all.rfind(':') == std::string::npos ? all.size() : all.rfind(':'));
  if (host != "localhost" && !host.starts_with("127.")) return;
  i64 servers = 0;
  for (std::string_view field : {"launched_nodes", "nodes"})
    if (servers < 2) servers = number_of(training, field).value_or(0);
  const Fact* said = fact(training, "launched_nodes") ? fact(training, "launched_nodes") : fact(training, "nodes");
  if (servers < 2 || !said) return;
  Finding& finding = say(training, launching::kLocalMaster, where, fmt::format("{} servers are to meet at {}", servers, host),
                         fmt::format("each server takes {} for itself, and the ranks wait for each other until they give up", spelled));
  if (said->place) finding.notes.push_back({fmt::format("{} take part", plural(servers, "server")), said->place});
}

void finish(const Launch& launch, Training& training, std::optional<Training>& out, std::size_t at) {
  if (at >= launch.command->argv.size()) return;
  training.program = at;
  out = std::move(training);
}

// An option of torchrun, or the variable that stands in for it.
std::optional<Count> option(const Options& options, std::string_view name, const char* variable, const CommandPtr& command) {
  if (const Count* found = options.find(name)) return *found;
  const auto set = command->environment->find(variable);
  if (set == command->environment->end()) return std::nullopt;
  Count out;
  out.said = true, out.text = set->second, out.value = whole(out.text);
  return out;
}

bool torchrun_bare(std::string_view name) { return one_of(name, {"standalone", "no-python", "m", "module", "run-path", "use-env"}); }
bool deepspeed_bare(std::string_view name) {
  return one_of(name, {"no-python", "module", "no-local-rank", "save-pid", "force-multi", "bind-cores-to-rank", "elastic-training",
                       "no-ssh", "no-ssh-check"});
}
bool accelerate_bare(std::string_view name) {
  return one_of(name, {"multi-gpu",
                       "use-deepspeed",
                       "use-fsdp",
                       "use-megatron-lm",
                       "cpu",
                       "tpu",
                       "use-xpu",
                       "no-python",
                       "m",
                       "module",
                       "debug",
                       "q",
                       "quiet",
                       "same-network",
                       "use-parallelism-config",
                       "enable-cpu-affinity",
                       "tpu-use-cluster",
                       "ipex",
                       "dynamo-use-dynamic",
                       "dynamo-use-fullgraph",
                       "no-tpu-cluster",
                       "fsdp-cpu-offload"});
}
bool mpi_bare(std::string_view name) {
  return one_of(name, {"allow-run-as-root", "oversubscribe", "report-bindings", "tag-output", "v", "l", "bootstrap", "display-map"});
}

// A number that is written and comes out empty: the option then has no value, or takes the program for it. Where the program stands then.
std::optional<std::size_t> emptied(Training& training, const Options& options, std::initializer_list<std::string_view> names,
                                   std::string_view launcher) {
  std::optional<std::size_t> program;
  for (std::string_view name : names) {
    const Count* count = options.find(name);
    if (!count) continue;
    const std::vector<shell::Word>& argv = count->command->argv;
    const bool assigned = count->count == 1 && argv[count->first].text.flat().ends_with('=') && count->text.empty();
    const bool taken = count->count == 2 && count->text.known() && count->text.flat().ends_with(".py");
    if (!assigned && !taken) continue;
    if (taken) program = count->first + 1;
    const Place written = argv[count->first].place;
    // What the script writes there, up to the word that is taken.
    const Place next = taken ? argv[count->first + 1].place : written;
    std::string_view raw;
    if (written && next.source == written.source && next.range.end >= written.range.begin)
      raw = written.source->text({written.range.begin, next.range.end});
    std::string message = fmt::format("--{} has no value", name);
    if (raw.find("SLURM_GPUS_PER_NODE") != std::string_view::npos)
      message += ": Slurm sets SLURM_GPUS_PER_NODE for --gpus-per-node, and this job asks with --gres";
    Finding& finding = say(training, launching::kEmpty, *count, std::move(message), fmt::format("{} refuses it", launcher));
    if (written) finding.place = written;
  }
  return program;
}

// Every server must be told which of them it is, unless they find that out where they meet.
void ranks_told(const Launch& launch, Training& training, const Options& options, i64 servers) {
  if (servers < 2 || launch.context.told_its_rank || launch.command->environment->contains("PET_NODE_RANK")) return;
  const Count* rank = options.any({"node-rank", "node_rank"});
  const Count* backend = options.find("rdzv-backend");
  if (backend && !(backend->text.known() && backend->text.flat() == "static")) return;
  if (launch.command->environment->contains("PET_RDZV_BACKEND")) return;
  const Count* nodes = options.find("nnodes");
  // Who starts it by hand may give each server another number, in a variable or in the text.
  if (!launch.context.in_step) return;
  if (!rank) {
    if (!nodes) return;
    say(training, launching::kNodeRank, *nodes,
        fmt::format("{} take part, and none is told which of them it is", plural(servers, "server")),
        "without --node-rank or a c10d rendezvous each takes itself for the first, and the run hangs");
    return;
  }
  if (!rank->value || rank->text.by_default()) return;
  say(training, launching::kNodeRank, *rank,
      fmt::format("each of the {} is told that it is number {}", plural(servers, "server"), *rank->value),
      "the value is the same on all of them, and the run hangs; what Slurm says of a task must be read inside it: bash -c '... "
      "$SLURM_NODEID'");
}

// "host slots=8" a line; the slots only where all hosts have as many.
void read_hosts(const std::string& text, std::optional<i64>& count, std::optional<i64>& slots) {
  i64 hosts = 0;
  bool even = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    line.resize(std::min(line.find('#'), line.size()));
    const std::size_t at = line.find("slots=");
    if (at == std::string::npos) continue;
    ++hosts;
    i64 here = 0;
    for (std::size_t i = at + 6; i < line.size() && line[i] >= '0' && line[i] <= '9' && here < 100000; ++i)
      here = here * 10 + (line[i] - '0');
    even &= !slots || *slots == here, slots = here;
  }
  if (hosts) count = hosts;
  if (!even || !hosts) slots.reset();
}

// The processes that a step starts.
void tasks(Training& training, const Context& context) {
  const Request& step = request(context);
  const Count& by = step.tasks_said().said ? step.tasks_said() : step.nodes.said ? step.nodes : step.gpus_said();
  if (const std::optional<i64> tasks = step.tasks(); tasks && by.said && *tasks > 1) {
    put(training, by.fact("world_size", *tasks));
    if (const std::optional<i64> on_node = step.tasks_on_node())
      put(training, step.ntasks.said || !step.ntasks_per_node.said ? by.fact("processes_per_node", *on_node)
                                                                   : step.ntasks_per_node.fact("processes_per_node"));
  } else if (by.said && !step.tasks()) {
    put(training, unknown("world_size", by));
  }
}

}  // namespace

std::optional<Training> torchrun(const Launch& launch) {
  const Context& context = launch.context;
  const CommandPtr& command = launch.command;
  Options options = options_of(command, launch.at, torchrun_bare);
  Training training = begin(launch, "torchrun");
  allocation(training, context);
  copies(training, context);
  if (const auto at = emptied(training, options, {"nproc-per-node", "nnodes"}, "torchrun")) options.next = *at;
  const std::optional<Count> each = option(options, "nproc-per-node", "PET_NPROC_PER_NODE", command);
  const std::optional<Count> nodes = option(options, "nnodes", "PET_NNODES", command);
  std::optional<i64> per_node = each ? each->value : std::optional<i64>(1);
  if (each && !each->value && each->text.known() && one_of(each->text.flat(), {"gpu", "auto"})) {
    per_node = number_of(training, "visible_gpus");
    if (!per_node) per_node = number_of(training, "gpus_per_node");
  }
  if (each && per_node) put(training, each->value ? each->fact("processes_per_node") : each->fact("processes_per_node", *per_node));
  std::optional<i64> told = nodes ? nodes->value : std::optional<i64>(1);
  if (nodes && !told && nodes->text.known()) {  // MIN:MAX
    const std::size_t colon = nodes->text.flat().find(':');
    if (colon != std::string::npos) {
      const std::optional<i64> least = whole(nodes->text.slice(0, colon)), most = whole(nodes->text.slice(colon + 1, nodes->text.size()));
      if (least && least == most) told = least;
      if (least && most && *least < *most)
        put(training, nodes->fact("elastic_min_nodes", *least)), put(training, nodes->fact("elastic_max_nodes", *most));
    }
  }
  if (nodes && told) put(training, nodes->value ? nodes->fact("launched_nodes") : nodes->fact("launched_nodes", *told));
  if (!fact(training, "nodes")) {
    if (nodes && told)
      put(training, nodes->fact("nodes", *told));
    else if (nodes)
      put(training, nodes->fact("nodes"));
    else if (each)
      put(training, each->fact("nodes", 1));
  }
  if (!fact(training, "gpus_per_node") && each) {
    if (per_node)
      put(training, each->fact("gpus_per_node", *per_node));
    else
      put(training, each->fact("gpus_per_node"));
  }
  // Where the step has other nodes than the launcher was told of, as many start as there are nodes.
  std::optional<i64> ranks = product(told, per_node);
  if (context.in_step)
    if (const std::optional<i64> here = number_of(training, "nodes"); here && told && *here < *told) ranks = product(here, per_node);
  if (const Fact* of = fact(training, "nodes"); context.in_step && of && !of->open.empty()) ranks.reset();
  const Count& by = each ? *each : nodes ? *nodes : Count();
  if (ranks && by.said)
    put(training, by.fact("world_size", *ranks));
  else if (!ranks && by.said)
    put(training, unknown("world_size", each && !each->value ? *each : nodes ? *nodes : *each));
  if (told) ranks_told(launch, training, options, *told);
  for (const char* name : {"rdzv-endpoint", "master-addr"})
    if (const Count* where = options.find(name)) meeting(training, *where, "it");
  std::optional<Training> out;
  finish(launch, training, out, options.next);
  return out;
}

std::optional<Training> deepspeed(const Launch& launch) {
  const Context& context = launch.context;
  const CommandPtr& command = launch.command;
  const Options options = options_of(command, launch.at, deepspeed_bare);
  Training training = begin(launch, "deepspeed");
  allocation(training, context);
  copies(training, context);
  const Count* nodes = options.find("num-nodes");
  const Count* gpus = options.find("num-gpus");
  const Count* hostfile = options.find("hostfile");
  if (!hostfile) hostfile = options.find("H");
  const Count* include = options.find("include");
  if (!include) include = options.find("i");
  const Count* exclude = options.find("exclude");
  if (!exclude) exclude = options.find("e");
  if (include && (nodes || gpus || exclude)) {
    const Count& other = nodes ? *nodes : gpus ? *gpus : *exclude;
    Finding& finding = training.findings.emplace_back();
    finding.rule = launching::kExclude.name, finding.family = launching::kExclude.family, finding.severity = Severity::Error;
    finding.message = fmt::format("--include already says which GPUs take part, and {} stands beside it", nodes  ? "--num_nodes"
                                                                                                          : gpus ? "--num_gpus"
                                                                                                                 : "--exclude");
    finding.effect = "DeepSpeed's launcher refuses the two together";
    finding.place = other.fact("x").key_place;
    finding.notes.push_back({"--include stands here", include->fact("x").key_place});
  }
  if (include && include->text.known()) {
    // h1@h2:0,2: of h1 every slot, of h2 two.
    i64 hosts = 0, total = 0;
    std::optional<i64> each;
    bool even = true;
    const std::string& list = include->text.flat();
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find('@', begin), list.size());
      const std::string_view host = std::string_view(list).substr(begin, end - begin);
      ++hosts;
      if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
        const i64 slots = 1 + std::count(host.begin() + static_cast<std::ptrdiff_t>(colon), host.end(), ',');
        even &= !each || *each == slots, each = slots, total += slots;
      } else {
        even = false;
      }
      begin = end + 1;
    }
    put(training, include->fact("nodes", hosts));
    if (even && each) put(training, include->fact("gpus_per_node", *each));
    if (even && each && training.findings.empty())
      put(training, include->fact("world_size", total));
    else
      put(training, unknown("world_size", *include));
    std::optional<Training> out;
    finish(launch, training, out, options.next);
    return out;
  }
  std::optional<i64> count, slots;
  Count by;
  if (hostfile && hostfile->text.known()) {
    const std::string path = *hostfile->text.str();
    std::optional<std::string> hosts;
    if (command->written)
      if (const auto found = command->written->find(path); found != command->written->end()) hosts = found->second.str();
    const Files::Read read = hosts ? Files::Read{} : launch.files.read(join(launch.home, path));
    if (read.text) hosts = read.text;
    if (hosts) read_hosts(*hosts, count, slots);
    by = *hostfile;
  } else if (!hostfile) {
    count = 1;
  }
  if (nodes && nodes->value) {
    if (!count || *nodes->value < *count || !hostfile) count = nodes->value;
    by = *nodes;
  }
  if (nodes && count)
    put(training, nodes->fact("nodes", *count));
  else if (count && by.said)
    put(training, by.fact("nodes", *count));
  if (gpus && gpus->value) slots = gpus->value, by = *gpus;
  if (!slots && !hostfile) slots = number_of(training, "visible_gpus");
  if (!slots && !hostfile) slots = number_of(training, "gpus_per_node");
  if (slots && by.said) {
    put(training, by.fact("processes_per_node", *slots));
    if (!fact(training, "gpus_per_node")) put(training, (gpus ? *gpus : hostfile ? *hostfile : by).fact("gpus_per_node", *slots));
    if (const std::optional<i64> ranks = product(count, slots)) put(training, by.fact("world_size", *ranks));
  }
  std::optional<Training> out;
  finish(launch, training, out, options.next);
  return out;
}

std::optional<Training> accelerate(const Launch& launch) {
  const Context& context = launch.context;
  const CommandPtr& command = launch.command;
  const Options options = options_of(command, launch.at, accelerate_bare);
  Training training = begin(launch, "accelerate");
  allocation(training, context);
  copies(training, context);
  const Count* processes = options.find("num-processes");
  const Count* machines = options.find("num-machines");
  if (machines && machines->value) put(training, machines->fact("launched_nodes"));
  if (machines && !fact(training, "nodes")) put(training, machines->fact("nodes"));
  if (processes) {
    put(training, processes->fact("world_size"));
    const std::optional<i64> nodes = machines ? machines->value : std::optional<i64>(1);
    // Each machine starts the same number, rounded down.
    if (processes->value && nodes && *nodes > 1 && *processes->value % *nodes != 0) {
      Finding& finding =
          say(training, launching::kUneven, *processes,
              fmt::format("{} cannot be shared evenly by {}", plural(*processes->value, "process", "processes"), plural(*nodes, "machine")),
              fmt::format("Accelerate starts {} on each machine, which are {} in all, and waits for {}", *processes->value / *nodes,
                          *processes->value / *nodes * *nodes, *processes->value));
      finding.notes.push_back({fmt::format("--num_machines is {} here", *nodes), machines->place()});
    }
    if (processes->value && nodes && *nodes > 0 && *processes->value % *nodes == 0) {
      put(training, processes->fact("processes_per_node", *processes->value / *nodes));
      if (!fact(training, "gpus_per_node")) put(training, processes->fact("gpus_per_node", *processes->value / *nodes));
    }
  }
  emptied(training, options, {"num-processes", "num-machines"}, "Accelerate");
  if (const Count* where = options.find("main-process-ip")) meeting(training, *where, "it");
  for (const auto& [name, count] : options.by_name) {
    Fact option_fact = count.fact(name);
    std::replace(option_fact.path.begin(), option_fact.path.end(), '-', '_');
    option_fact.attached = false;
    if (!count.value && count.text.known())
      option_fact.value = count.text.empty() ? Value(true) : Value(*count.text.str()), option_fact.open.clear();
    training.options.push_back(std::move(option_fact));
  }
  std::optional<Training> out;
  finish(launch, training, out, options.next);
  return out;
}

std::optional<Training> mpirun(const Launch& launch) {
  const Options options = options_of(launch.command, launch.at, mpi_bare);
  Training training = begin(launch, "mpirun");
  allocation(training, launch.context);
  const Count* ranks = options.any({"np", "n"});
  const Count* each = options.any({"npernode", "ppn", "N", "map-by"});
  if (each && !each->value && each->text.known()) {  // ppr:8:node
    const std::string& flat = each->text.flat();
    const std::size_t end = flat.find(':', 4);
    each = flat.starts_with("ppr:") && end != std::string::npos && flat.substr(end) == ":node" ? each : nullptr;
  }
  Count on_node = each ? *each : Count();
  if (each && !each->value) on_node.text = each->text.slice(4, each->text.flat().find(':', 4)), on_node.value = whole(on_node.text);
  if (ranks) put(training, ranks->fact("world_size"));
  if (each) {
    put(training, on_node.fact("processes_per_node"));
    if (!fact(training, "gpus_per_node")) put(training, on_node.fact("gpus_per_node"));
    if (ranks && ranks->value && on_node.value && *on_node.value > 0 && *ranks->value % *on_node.value == 0 && !fact(training, "nodes"))
      put(training, ranks->fact("nodes", *ranks->value / *on_node.value));
  }
  if (!fact(training, "gpus_per_node"))
    if (const Count* hosts = options.any({"H", "host"}); hosts && hosts->text.known()) {  // h1:8,h2:8
      i64 servers = 0;
      std::optional<i64> slots;
      bool even = true;
      const std::string& list = hosts->text.flat();
      for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size()), colon = list.find(':', begin);
        const std::optional<i64> here = colon < end ? whole(hosts->text.slice(colon + 1, end)) : std::optional<i64>(1);
        even &= here && (!slots || slots == here), slots = here, ++servers;
        begin = end + 1;
      }
      put(training, hosts->fact("nodes", servers));
      if (even && slots) put(training, hosts->fact("gpus_per_node", *slots));
    }
  std::optional<Training> out;
  finish(launch, training, out, options.next);
  return out;
}

std::optional<Training> own_launcher(const Launch& launch, const OwnLauncher& own) {
  const std::vector<shell::Word>& argv = launch.command->argv;
  const auto behind = std::find_if(argv.begin() + static_cast<std::ptrdiff_t>(launch.at), argv.end(),
                                   [](const shell::Word& word) { return word.text.flat() == "--"; });
  const auto end = static_cast<std::size_t>(behind - argv.begin());
  const auto field_of = [&](const std::string& option) {
    for (const auto& [flag, field] : own.flags)
      if (dashed(flag) == option) return field;
    return std::string();
  };
  // Options that are not known may have a word of their own or none; behind `--` it does not matter.
  std::map<std::string, Count> counts;
  std::size_t next = launch.at;
  while (next < end && argv[next].text.flat().starts_with('-')) {
    const Options one = options_of(launch.command, next, [&](std::string_view option) { return field_of(std::string(option)).empty(); });
    for (const auto& [option, count] : one.by_name)
      if (const std::string field = field_of(option); !field.empty()) counts.insert_or_assign(field, count);
    next = std::max(one.next, next + 1);
    if (behind != argv.end())
      while (next < end && !argv[next].text.flat().starts_with('-')) ++next;
  }
  Training training = begin(launch, own.program);
  for (const auto& [field, count] : counts) put(training, count.fact(field));
  std::optional<Training> out;
  finish(launch, training, out, behind != argv.end() ? end + 1 : next);
  return out;
}

std::optional<Training> own_program(const Launch& launch) {
  Training training = begin(launch, launch.context.in_step ? "srun" : "");
  allocation(training, launch.context);
  if (launch.context.in_step) tasks(training, launch.context);
  std::optional<Training> out;
  finish(launch, training, out, launch.at);
  return out;
}

std::optional<Training> program(const Launch& launch) {
  const Context& context = launch.context;
  const CommandPtr& command = launch.command;
  Training training = begin(launch, context.in_step ? "srun" : "");
  allocation(training, context);
  const Count each = variable(command, "NPROC_PER_NODE"), nodes = variable(command, "NNODES");
  if (context.in_step) {
    tasks(training, context);
  } else if (each.said) {
    put(training, each.fact("processes_per_node"));
    if (nodes.said)
      put(training, nodes.fact("nodes"));
    else
      put(training, each.fact("nodes", 1));
    if (!fact(training, "gpus_per_node")) put(training, each.fact("gpus_per_node"));
    const std::optional<i64> ranks = product(each.value, nodes.said ? nodes.value : std::optional<i64>(1));
    put(training, ranks ? each.fact("world_size", *ranks) : unknown("world_size", each.value ? nodes : each));
  }
  if (context.in_step && number_of(training, "nodes").value_or(1) > 1 && number_of(training, "world_size").value_or(1) > 1)
    meeting(training, variable(command, "MASTER_ADDR"), "MASTER_ADDR");
  std::optional<Training> out;
  finish(launch, training, out, launch.at);
  return out;
}

}  // namespace shardlint::launch
