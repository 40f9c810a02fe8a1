#include "checker/launch/reader.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "checker/diag/launch.h"
#include "checker/shell/edit.h"

namespace shardlint::launch {

namespace {

using shell::Command;
using shell::Text;
using CommandPtr = std::shared_ptr<const Command>;

constexpr int kDepth = 8;              // scripts within scripts
constexpr std::size_t kPlans = 12;     // training commands of a script
constexpr std::size_t kReadings = 12;  // ways through a script

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1); }

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<i64> product(std::optional<i64> a, std::optional<i64> b) {
  i64 out = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

// Options of one launcher, up to the first word that is none.
struct Options {
  std::map<std::string, Count> by_name;  // with dashes, without the leading ones
  std::size_t next = 0;                  // the first word behind them

  const Count* find(std::string_view name) const {
    const auto found = by_name.find(std::string(name));
    return found == by_name.end() ? nullptr : &found->second;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
};

template <class Bare>
Options options_of(const CommandPtr& command, std::size_t at, const Bare& bare) {
  Options out;
  const std::vector<shell::Word>& argv = command->argv;
  while (at < argv.size()) {
    const Text& text = argv[at].text;
    const std::string& flat = text.flat();
    if (flat.size() < 2 || flat[0] != '-') {
      // An unknown word that may be nothing, or options.
      if (argv[at].count != shell::Word::Count::One && !text.known() && flat.size() == 1 && at + 1 < argv.size()) {
        ++at;
        continue;
      }
      break;
    }
    if (flat == "--") {
      ++at;
      break;
    }
    Count count;
    count.said = true, count.command = command, count.first = at;
    std::string name;
    const bool longer = flat.starts_with("--");
    const std::size_t equals = flat.find('=');
    if (longer && equals != std::string::npos) {
      name = flat.substr(2, equals - 2);
      count.text = text.slice(equals + 1, flat.size());
    } else {
      name = flat.substr(longer ? 2 : 1);
      if (!longer && flat.size() > 2 && (flat[1] == 'N' || flat[1] == 'n') &&
          flat.find_first_not_of("0123456789", 2) == std::string::npos) {
        name = flat.substr(1, 1);
        count.text = text.slice(2, flat.size());
      } else if (!bare(dashed(name)) && at + 1 < argv.size()) {
        count.text = argv[at + 1].text, count.count = 2;
        ++at;
      }
    }
    count.value = whole(count.text);
    out.by_name.insert_or_assign(dashed(name), std::move(count));
    ++at;
  }
  out.next = at;
  return out;
}

class Commands {
 public:
  Commands(const Files& files, const SourcePtr& source, const std::string& workspace, Submission submission = {}, Programs programs = {})
      : files_(files), source_(source), workspace_(workspace), submission_(std::move(submission)), programs_(std::move(programs)) {}

  shell::Input input() const {
    shell::Input out;
    out.path = source_->path(), out.files = &files_, out.workspace = workspace_;
    return out;
  }
  void one(Command command, shell::Environment environment, const Context& context) {
    shell::Input around = input();
    around.environment = std::move(environment);
    walk(around, std::make_shared<const Command>(std::move(command)), 0, 0, context);
  }
  void all(Text code, shell::Environment environment, const Context& context) {
    shell::Input around = input();
    around.code = std::move(code), around.environment = std::move(environment);
    commands(around, evaluated(around), 0, context);
  }
  Reading done() { return std::move(out_); }

  Reading run() {
    shell::Input input = this->input();
    input.code = Text::of(source_);
    input.environment = submission_.environment;
    std::vector<std::map<std::string, int>> ways{{}};
    std::vector<std::string> names{""};
    std::set<std::string> seen;
    for (std::size_t way = 0; way < ways.size() && way < kReadings; ++way) {
      shell::Input one = input;
      one.take = ways[way];
      const std::size_t before = out_.trainings.size();
      const shell::Script script = start(one, names[way], 0, Context());
      if (way > 0) {
        // An arm that changes nothing about the trainings is no run of its own.
        std::string all;
        for (std::size_t i = before; i < out_.trainings.size(); ++i) all += shell::dump(*out_.trainings[i].command) + "\n";
        if (!seen.insert(all).second) out_.trainings.resize(before);
      } else {
        std::string all;
        for (const Training& training : out_.trainings) all += shell::dump(*training.command) + "\n";
        seen.insert(all);
        out_.comments = script.comments;
        for (const shell::Fork& fork : script.forks)
          for (std::size_t arm = 0; arm < fork.arms.size(); ++arm) {
            const shell::Arm& one_arm = fork.arms[arm];
            if (fork.taken < 0 || static_cast<int>(arm) == fork.taken || one_arm.ends || !one_arm.setting) continue;
            ways.push_back({{fork.id, static_cast<int>(arm)}});
            names.push_back(fmt::format("{}={}", one_arm.setting->first, one_arm.setting->second));
          }
      }
    }
    return done();
  }

 private:
  // A script below another one, or in a manifest.
  shell::Script evaluated(const shell::Input& input) {
    shell::Script script = shell::evaluate(input);
    out_.comments.insert(out_.comments.end(), script.comments.begin(), script.comments.end());
    return script;
  }

  // Reads a script: its directives first, then with what they say its commands.
  shell::Script start(shell::Input input, const std::string& name, int depth, Context context, bool submitted = false) {
    shell::Script script = shell::evaluate(input);
    std::vector<Finding> findings;
    const bool batch = depth == 0 || submitted;
    if (batch) {
      context.job = directives(script.comments, findings);
      if (!submitted)
        for (const auto& [option, value] : submission_.options) context.job.give(option, value);
      context.slurm = context.job.any || !findings.empty() ||
                      std::any_of(script.comments.begin(), script.comments.end(),
                                  [](const shell::Comment& comment) { return comment.text.flat().starts_with("#SBATCH"); });
      context.step.reset(), context.in_step = false;
      if (context.slurm && context.job.any) {
        for (auto& [variable, text] : variables(context.job, script.comments.empty() ? Place{source_, {0, 0}} : script.comments[0].place))
          input.environment.insert_or_assign(variable, text);
        script = shell::evaluate(input);
      }
    }
    context.name = name;
    const std::size_t before = out_.trainings.size();
    commands(input, script, depth, context);
    // A script that starts no training is nobody's business here.
    if (out_.trainings.size() > before && said_.insert(name + (submitted ? "submitted" : "")).second && name.empty())
      for (Finding& finding : findings) out_.findings.push_back(std::move(finding));
    return script;
  }

  void commands(const shell::Input& input, const shell::Script& script, int depth, Context context) {
    for (const Command& command : script.commands) {
      if (out_.trainings.size() >= kPlans * kReadings) return;
      const std::string& first = command.argv[0].text.flat();
      if (first == "source" || first == ".") context.sourced = true;
      walk(input, std::make_shared<const Command>(command), 0, depth, context);
    }
  }

  void nested(const shell::Input& input, const CommandPtr& command, std::size_t at, int depth, const Context& context) {
    if (depth >= kDepth) return;
    if (const std::optional<shell::Input> inner = shell::inner_script(input, *command, at))
      commands(*inner, evaluated(*inner), depth + 1, context);
  }

  void walk(const shell::Input& input, const CommandPtr& command, std::size_t at, int depth, Context context) {
    const std::vector<shell::Word>& argv = command->argv;
    while (at < argv.size()) {
      const std::optional<std::string> word = argv[at].text.str();
      if (!word) return;
      const std::string name = base_name(*word);
      if (one_of(name, {"exec", "nohup", "time", "command", "eval", "stdbuf", "setsid"})) {
        ++at;
        while (at < argv.size() && argv[at].text.flat().starts_with('-')) ++at;
        continue;
      }
      if (name == "env") {
        ++at;
        while (at < argv.size() && (argv[at].text.flat().starts_with('-') || argv[at].text.flat().find('=') != std::string::npos)) ++at;
        continue;
      }
      if (one_of(name, {"numactl", "nsys", "timeout", "taskset", "uv", "poetry", "conda", "docker", "podman", "apptainer", "singularity",
                        "enroot", "ray", "xvfb-run", "unbuffer", "sudo", "nice", "bash-wrapper"})) {
        if (name == "ray" && (at + 1 >= argv.size() || argv[at + 1].text.flat() != "job")) return;
        ++at;
        while (at < argv.size() && !starts_program(argv[at].text.flat())) ++at;
        continue;
      }
      if (one_of(name, {"bash", "sh"}) || name.ends_with(".sh")) return nested(input, command, at, depth, context);
      if (name == "sbatch") return submit(input, command, at, depth, context);
      if (name == "srun") {
        const Options options = options_of(command, at + 1, without_value);
        Request step;
        for (const auto& [option, count] : options.by_name) step.take(long_name(option), count);
        context.step = inherited(step, context.job);
        context.in_step = true;
        at = options.next;
        continue;
      }
      if (one_of(name, {"mpirun", "mpiexec", "mpirun.real"})) {
        const Options options = options_of(command, at + 1, [](const std::string& option) {
          return one_of(option, {"allow-run-as-root", "oversubscribe", "report-bindings", "tag-output", "v", "l", "bootstrap"});
        });
        Training training = begin(command, context, "mpirun");
        const Count* ranks = options.find("np");
        if (!ranks) ranks = options.find("n");
        if (ranks && training.launcher == "mpirun") put(training, ranks->fact("world_size"));
        allocation(training, context);
        program(training, options.next);
        return;
      }
      if (name == "torchrun" || name == "torchx") return torchrun(command, at + 1, context);
      if (name == "deepspeed") return deepspeed(input, command, at + 1, context);
      if (name == "accelerate" && at + 1 < argv.size() && argv[at + 1].text.flat() == "launch") return accelerate(command, at + 2, context);
      if (name.starts_with("python")) {
        ++at;
        while (at < argv.size() && argv[at].text.flat().starts_with('-')) {
          const std::string option = argv[at].text.flat();
          if (option == "-c") return;
          if (option == "-m") {
            const std::string module = at + 1 < argv.size() ? argv[at + 1].text.flat() : "";
            if (one_of(module, {"torch.distributed.run", "torch.distributed.launch"})) return torchrun(command, at + 2, context);
            if (module == "deepspeed.launcher.runner") return deepspeed(input, command, at + 2, context);
            if (module == "accelerate.commands.launch") return accelerate(command, at + 2, context);
            ++at;
            break;
          }
          at += option == "-W" || option == "-X" ? 2 : 1;
        }
        return plain(command, at, context);
      }
      if (one_of(name, {"megatron", "swift"})) return plain(command, at + 1, context);
      if (one_of(name, {"llamafactory-cli", "axolotl"})) return plain(command, at + 1, context);
      if (name.ends_with(".py")) return plain(command, at, context);
      if (const OwnLauncher* own = programs_.launcher(name)) return launched(command, at, *own, context);
      if (programs_.trains && programs_.trains(*word)) return alone(command, at, context);
      return;
    }
  }

  static bool starts_program(const std::string& word) {
    const std::string name = base_name(word);
    return name.starts_with("python") || name.ends_with(".sh") || name.ends_with(".py") ||
           one_of(name, {"torchrun", "deepspeed", "accelerate", "bash", "sh", "srun", "mpirun", "mpiexec", "megatron", "swift",
                         "llamafactory-cli", "axolotl", "numactl", "nsys"});
  }

  void submit(const shell::Input& input, const CommandPtr& command, std::size_t at, int depth, const Context& context) {
    if (depth >= kDepth) return;
    const Options options = options_of(command, at + 1, without_value);
    std::optional<shell::Input> inner;
    if (const Count* wrap = options.find("wrap"))
      inner = shell::inner_script(input, *command, wrap->text, input.path, std::nullopt);
    else if (options.next < command->argv.size())
      return;  // a script of its own, which is read by itself
    for (const shell::Redirection& redirection : command->redirections)
      if (redirection.op.starts_with("<<")) inner = shell::inner_script(input, *command, redirection.text, input.path, std::nullopt);
    if (inner) start(*inner, context.name, depth + 1, Context(), true);
  }

  static Request inherited(Request step, const Request& job) {
    const auto take = [](Count& to, const Count& from) {
      if (!to.said) to = from;
    };
    const bool own = step.ntasks.said;
    take(step.nodes, job.nodes);
    if (!own) take(step.ntasks, job.ntasks), take(step.ntasks_per_node, job.ntasks_per_node);
    if (!step.gpus_per_node.said && !step.gpus.said && !step.gpus_per_task.said)
      step.gpus_per_node = job.gpus_per_node, step.gpus = job.gpus, step.gpus_per_task = job.gpus_per_task;
    step.any |= job.any;
    if (step.gpu.empty()) step.gpu = job.gpu, step.gpu_at = job.gpu_at;
    return step;
  }

  // ---- trainings

  Training begin(const CommandPtr& command, const Context& context, std::string launcher) const {
    Training out;
    out.name = context.name, out.command = command, out.launcher = std::move(launcher);
    out.environment_known = !context.sourced;
    return out;
  }
  static void put(Training& training, Fact fact) {
    std::erase_if(training.cluster, [&](const Fact& other) { return other.path == fact.path; });
    training.cluster.push_back(std::move(fact));
  }
  static const Request& request(const Context& context) { return context.step ? *context.step : context.job; }

  // What the scheduler hands over.
  void allocation(Training& training, const Context& context) const {
    scheduled(training, context);
    visible(training);
  }
  void scheduled(Training& training, const Context& context) const {
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
    }
  }

  // CUDA_VISIBLE_DEVICES caps the devices of a node.
  static void visible(Training& training) {
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

  const Fact* fact(const Training& training, std::string_view path) const {
    for (const Fact& one : training.cluster)
      if (one.path == path) return &one;
    return nullptr;
  }
  std::optional<i64> number_of(const Training& training, std::string_view path) const {
    const Fact* one = fact(training, path);
    return one && one->value.integer() ? std::optional(*one->value.integer()) : std::nullopt;
  }

  // How often the launcher starts on each node.
  void copies(Training& training, const Context& context) const {
    if (!context.in_step) return;
    const Request& step = request(context);
    if (const std::optional<i64> each = step.tasks_on_node(); each && step.tasks_said().said)
      put(training, step.ntasks.said ? step.ntasks.fact("launchers_per_node", *each) : step.ntasks_per_node.fact("launchers_per_node"));
  }

  // An option of torchrun, or the variable that stands in for it.
  static std::optional<Count> option(const Options& options, std::string_view name, const char* variable, const CommandPtr& command) {
    if (const Count* found = options.find(name)) return *found;
    const auto set = command->environment->find(variable);
    if (set == command->environment->end()) return std::nullopt;
    Count out;
    out.said = true, out.text = set->second, out.value = whole(out.text);
    return out;
  }

  void torchrun(const CommandPtr& command, std::size_t at, const Context& context) {
    const Options options = options_of(command, at, [](const std::string& name) {
      return one_of(name, {"standalone", "no-python", "m", "module", "run-path", "use-env"});
    });
    Training training = begin(command, context, "torchrun");
    allocation(training, context);
    copies(training, context);
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
    program(training, options.next);
  }

  static Fact unknown(std::string_view field, const Count& by) {
    Fact out = by.fact(field);
    out.value = Value(), out.spot = nullptr;
    if (out.open.empty()) out.open = "not all that it follows from is known";
    return out;
  }

  void deepspeed(const shell::Input& input, const CommandPtr& command, std::size_t at, const Context& context) {
    const Options options = options_of(command, at, [](const std::string& name) {
      return one_of(name, {"no-python", "module", "no-local-rank", "save-pid", "force-multi", "bind-cores-to-rank", "elastic-training",
                           "no-ssh", "no-ssh-check"});
    });
    Training training = begin(command, context, "deepspeed");
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
      program(training, options.next);
      return;
    }
    std::optional<i64> count, slots;
    Count by;
    if (hostfile && hostfile->text.known()) {
      const std::string path = *hostfile->text.str();
      std::optional<std::string> hosts;
      if (command->written)
        if (const auto found = command->written->find(path); found != command->written->end()) hosts = found->second.str();
      const Files::Read read = hosts ? Files::Read{} : files_.read(join(folder_of(source_->path()), path));
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
    (void)input;
    program(training, options.next);
  }

  // "host slots=8" a line; the slots only where all hosts have as many.
  static void read_hosts(const std::string& text, std::optional<i64>& count, std::optional<i64>& slots) {
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

  void accelerate(const CommandPtr& command, std::size_t at, const Context& context) {
    const Options options = options_of(command, at, [](const std::string& name) {
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
    });
    Training training = begin(command, context, "accelerate");
    allocation(training, context);
    copies(training, context);
    const Count* processes = options.find("num-processes");
    const Count* machines = options.find("num-machines");
    if (machines && machines->value) put(training, machines->fact("launched_nodes"));
    if (machines && !fact(training, "nodes")) put(training, machines->fact("nodes"));
    if (processes) {
      put(training, processes->fact("world_size"));
      const std::optional<i64> nodes = machines ? machines->value : std::optional<i64>(1);
      if (processes->value && nodes && *nodes > 0 && *processes->value % *nodes == 0) {
        put(training, processes->fact("processes_per_node", *processes->value / *nodes));
        if (!fact(training, "gpus_per_node")) put(training, processes->fact("gpus_per_node", *processes->value / *nodes));
      }
    }
    for (const auto& [name, count] : options.by_name) {
      Fact option_fact = count.fact(name);
      std::replace(option_fact.path.begin(), option_fact.path.end(), '-', '_');
      option_fact.attached = false;
      if (!count.value && count.text.known())
        option_fact.value = count.text.empty() ? Value(true) : Value(*count.text.str()), option_fact.open.clear();
      training.options.push_back(std::move(option_fact));
    }
    program(training, options.next);
  }

  // A team's own launcher: of its options those that are counts.
  void launched(const CommandPtr& command, std::size_t at, const OwnLauncher& own, const Context& context) {
    const std::vector<shell::Word>& argv = command->argv;
    const auto behind = std::find_if(argv.begin() + static_cast<std::ptrdiff_t>(at) + 1, argv.end(),
                                     [](const shell::Word& word) { return word.text.flat() == "--"; });
    const auto end = static_cast<std::size_t>(behind - argv.begin());
    const auto field_of = [&](const std::string& option) {
      for (const auto& [flag, field] : own.flags)
        if (dashed(flag) == option) return field;
      return std::string();
    };
    // Options that are not known may have a word of their own or none; behind `--` it does not matter.
    std::map<std::string, Count> counts;
    std::size_t next = at + 1;
    while (next < end && argv[next].text.flat().starts_with('-')) {
      const Options one = options_of(command, next, [&](const std::string& option) { return field_of(option).empty(); });
      for (const auto& [option, count] : one.by_name)
        if (const std::string field = field_of(option); !field.empty()) counts.insert_or_assign(field, count);
      next = std::max(one.next, next + 1);
      if (behind != argv.end())
        while (next < end && !argv[next].text.flat().starts_with('-')) ++next;
    }
    Training training = begin(command, context, own.program);
    for (const auto& [field, count] : counts) put(training, count.fact(field));
    program(training, behind != argv.end() ? end + 1 : next);
  }

  // A program of the team's own: under srun every task is a process of it.
  void alone(const CommandPtr& command, std::size_t at, const Context& context) {
    Training training = begin(command, context, context.in_step ? "srun" : "");
    allocation(training, context);
    if (context.in_step) tasks(training, context);
    program(training, at);
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

  // A program without a launcher: under srun every task is a rank; by itself it may start its own processes.
  void plain(const CommandPtr& command, std::size_t at, const Context& context) {
    Training training = begin(command, context, context.in_step ? "srun" : "");
    allocation(training, context);
    const auto variable = [&](const char* name) {
      Count out;
      const auto found = command->environment->find(name);
      if (found == command->environment->end()) return out;
      out.said = true, out.text = found->second, out.value = whole(out.text);
      return out;
    };
    const Count each = variable("NPROC_PER_NODE"), nodes = variable("NNODES");
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
    program(training, at);
  }

  void program(Training& training, std::size_t at) {
    if (at >= training.command->argv.size()) return;
    training.program = at;
    out_.trainings.push_back(std::move(training));
  }

  const Files& files_;
  const SourcePtr& source_;
  const std::string& workspace_;
  Submission submission_;
  const Programs programs_;
  Reading out_;
  std::set<std::string> said_;
};

}  // namespace

bool has_script_ending(std::string_view path) {
  for (std::string_view ending : {".sh", ".bash", ".sbatch", ".slurm"})
    if (path.ends_with(ending)) return true;
  return false;
}

bool is_script(std::string_view path, std::string_view text) {
  if (has_script_ending(path)) return true;
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.starts_with("#!") && (line.find("sh") != std::string_view::npos);
}

Reading read(const Files& files, const SourcePtr& source, const std::string& workspace, const Submission& submission,
             const Programs& programs) {
  return Commands(files, source, workspace, submission, programs).run();
}

struct Reader::Inner {
  Commands commands;
};
Reader::Reader(const Files& files, const SourcePtr& source, const std::string& workspace)
    : inner_(std::make_unique<Inner>(Inner{Commands(files, source, workspace)})) {}
Reader::~Reader() = default;
void Reader::command(shell::Command command, shell::Environment environment, const Context& context) {
  inner_->commands.one(std::move(command), std::move(environment), context);
}
void Reader::text(shell::Text code, shell::Environment environment, const Context& context) {
  inner_->commands.all(std::move(code), std::move(environment), context);
}
Reading Reader::done() { return inner_->commands.done(); }

}  // namespace shardlint::launch
