// The walk over a script's commands, down to those that train: wrappers are opened, steps and containers are entered, scripts within
// scripts are read.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "checker/launch/containers.h"
#include "checker/launch/launchers.h"

namespace shardlint::launch {

namespace {

using shell::Command;
using shell::Text;

constexpr int kDepth = 8;              // scripts within scripts
constexpr std::size_t kPlans = 12;     // training commands of a script
constexpr std::size_t kReadings = 12;  // ways through a script

class Commands {
 public:
  Commands(const Files& files, const SourcePtr& source, const World& world, Submission submission = {}, Programs programs = {})
      : files_(files), source_(source), world_(world), submission_(std::move(submission)), programs_(std::move(programs)) {}

  shell::Input input() const {
    shell::Input out;
    out.path = source_->path(), out.files = &files_, out.workspace = world_.workspace;
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
  shell::Script start(shell::Input input, const std::string& name, int depth, Context context, const Request* asked = nullptr) {
    shell::Script script = shell::evaluate(input);
    std::vector<Finding> findings;
    const bool batch = depth == 0 || asked;
    if (batch) {
      Directives read = directives(script.comments);
      findings = std::move(read.findings);
      context.last_directive = read.last;
      if (!asked)
        for (const auto& [option, value] : submission_.options) read.components[0].give(option, value);
      if (asked) read.components[0] = over(std::move(read.components[0]), *asked);
      for (Request& component : read.components) partition(component);
      context.components = std::move(read.components);
      context.job = context.components[0];
      const bool any = std::any_of(context.components.begin(), context.components.end(), [](const Request& one) { return one.any; });
      context.slurm = any || read.last || !findings.empty();
      context.step.reset(), context.in_step = false;
      if (context.slurm && any) {
        for (auto& [variable, text] : variables(context.components, input.code.place())) input.environment.insert_or_assign(variable, text);
        script = shell::evaluate(input);
      }
    }
    context.name = name;
    const std::size_t before = out_.trainings.size();
    commands(input, script, depth, context);
    // A script that starts no training is nobody's business here.
    if (out_.trainings.size() > before && said_.insert(name + (asked ? "submitted" : "")).second && name.empty())
      for (Finding& finding : findings) out_.findings.push_back(std::move(finding));
    return script;
  }

  // What the team says of a partition holds where the job does not say it itself.
  void partition(Request& request) const {
    if (!request.partition.said || !request.partition.text.known()) return;
    const auto found = world_.partitions.find(request.partition.text.flat());
    if (found == world_.partitions.end()) return;
    if (request.gpu.empty() && !found->second.gpu.empty()) request.gpu = found->second.gpu, request.gpu_at = request.partition;
    if (found->second.gpus_per_node && !request.gpus_said().said) {
      request.gpus_per_node = request.partition;
      request.gpus_per_node.value = found->second.gpus_per_node;
      request.any = true;
    }
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

  void walk(const shell::Input& input, CommandPtr command, std::size_t at, int depth, Context context) {
    const std::vector<shell::Word> argv = command->argv;
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
      if (one_of(name, {"numactl", "nsys", "timeout", "taskset", "uv", "poetry", "conda", "ray", "xvfb-run", "unbuffer", "sudo", "nice"})) {
        if (name == "ray" && (at + 1 >= argv.size() || argv[at + 1].text.flat() != "job")) return;
        at = program_behind(argv, at);
        continue;
      }
      if (one_of(name, {"docker", "podman", "nerdctl", "enroot", "apptainer", "singularity"})) {
        const std::size_t until = program_behind(argv, at);
        command = inside_of(command, at, until, context);
        at = until;
        continue;
      }
      if (one_of(name, {"bash", "sh"}) || name.ends_with(".sh")) return nested(input, command, at, depth, context);
      if (name == "sbatch") return submit(input, command, at, depth, context);
      if (name == "srun") {
        const Options options = options_of(command, at + 1, without_value);
        Request step;
        for (const auto& [option, count] : options.by_name) step.take(long_name(option), count);
        partition(step);
        context.step = inherited(step, groups_of(step, context));
        context.in_step = true;
        if (step.mounts.said) mounts_of(step.mounts.text, context.mounts);
        if (step.workdir.said) context.workdir = step.workdir.text.str().value_or("");
        command = exported(without_ranks(command), step.exports);
        if (step.exports.said) context.environment_passes = false;
        // What sbatch itself was told of the environment reaches the steps too.
        if (context.job.exports.said && !step.exports.said && context.job.exports.text.flat() == "NONE")
          command = exported(command, context.job.exports), context.sourced = true;
        at = options.next;
        continue;
      }
      const auto launch = [&](std::size_t words) { return Launch{files_, command, words, context, folder_of(source_->path())}; };
      if (one_of(name, {"mpirun", "mpiexec", "mpirun.real"})) return add(mpirun(launch(at + 1)));
      if (name == "torchrun" || name == "torchx") return add(torchrun(launch(at + 1)));
      if (name == "deepspeed") return add(deepspeed(launch(at + 1)));
      if (name == "accelerate" && at + 1 < argv.size() && argv[at + 1].text.flat() == "launch") return add(accelerate(launch(at + 2)));
      if (name.starts_with("python")) {
        ++at;
        while (at < argv.size() && argv[at].text.flat().starts_with('-')) {
          const std::string option = argv[at].text.flat();
          if (option == "-c") return;
          if (option == "-m") {
            const std::string module = at + 1 < argv.size() ? argv[at + 1].text.flat() : "";
            if (one_of(module, {"torch.distributed.run", "torch.distributed.launch"})) return add(torchrun(launch(at + 2)));
            if (module == "deepspeed.launcher.runner") return add(deepspeed(launch(at + 2)));
            if (module == "accelerate.commands.launch") return add(accelerate(launch(at + 2)));
            ++at;
            break;
          }
          at += option == "-W" || option == "-X" ? 2 : 1;
        }
        return add(program(launch(at)));
      }
      if (one_of(name, {"megatron", "swift", "llamafactory-cli", "axolotl", "primus-cli"})) return add(program(launch(at + 1)));
      if (name.ends_with(".py")) return add(program(launch(at)));
      if (const OwnLauncher* own = programs_.launcher(name)) return add(own_launcher(launch(at + 1), *own));
      if (programs_.trains && programs_.trains(*word)) return add(own_program(launch(at)));
      return;
    }
  }

  static std::size_t program_behind(const std::vector<shell::Word>& argv, std::size_t at) {
    for (++at; at < argv.size() && !starts_program(argv[at].text.flat());) ++at;
    return at;
  }

  // The components that a step runs on: the first, if it does not say which.
  static Request groups_of(const Request& step, const Context& context) {
    std::vector<const Request*> chosen;
    if (step.groups.said && context.components.size() > 1) {
      if (!step.groups.text.known()) return context.job;
      const std::string& list = step.groups.text.flat();
      for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size()), dash = std::min(list.find('-', begin), end);
        const std::optional<i64> first = whole(step.groups.text.slice(begin, dash));
        const std::optional<i64> last = dash < end ? whole(step.groups.text.slice(dash + 1, end)) : first;
        for (i64 i = first.value_or(0); first && last && i <= *last && i < static_cast<i64>(context.components.size()); ++i)
          chosen.push_back(&context.components[static_cast<std::size_t>(i)]);
        begin = end + 1;
      }
    }
    return chosen.empty() ? context.job : together(chosen);
  }

  // In a task these are its own; what stands in the batch script's environment is not what it sees.
  static CommandPtr without_ranks(const CommandPtr& command) {
    auto out = std::make_shared<Command>(*command);
    auto environment = std::make_shared<shell::Environment>(*command->environment);
    for (const char* name : {"SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID"}) environment->erase(name);
    out->environment = std::move(environment);
    return out;
  }

  static bool starts_program(const std::string& word) {
    const std::string name = base_name(word);
    return name.starts_with("python") || name.ends_with(".sh") || name.ends_with(".py") ||
           one_of(name, {"torchrun", "deepspeed", "accelerate", "bash", "sh", "srun", "mpirun", "mpiexec", "megatron", "swift",
                         "llamafactory-cli", "axolotl", "numactl", "nsys", "primus-cli"});
  }

  // What stands on sbatch's command line counts more than the directives of the script that it submits.
  void submit(const shell::Input& input, const CommandPtr& command, std::size_t at, int depth, const Context& context) {
    if (depth >= kDepth) return;
    const Options options = options_of(command, at + 1, without_value);
    Request asked;
    for (const auto& [option, count] : options.by_name) asked.take(long_name(option), count);
    std::optional<shell::Input> inner;
    if (const Count* wrap = options.find("wrap")) {
      inner = shell::inner_script(input, *command, wrap->text, input.path, std::nullopt);
    } else if (options.next < command->argv.size()) {
      Command read = *command;
      read.argv.erase(read.argv.begin(), read.argv.begin() + static_cast<std::ptrdiff_t>(options.next));
      read.argv.insert(read.argv.begin(), shell::Word{Text::given("bash", command->place), command->place, {}});
      inner = shell::inner_script(input, read, 0);
      // NeMo-RL's ray.sub starts Ray on the job's servers, and then what stands in COMMAND.
      const auto given = command->environment->find("COMMAND");
      if (!inner && given != command->environment->end()) {
        inner = shell::inner_script(input, *command, given->second, input.path, std::nullopt);
        if (const auto each = command->environment->find("GPUS_PER_NODE"); each != command->environment->end() && !asked.gpus_said().said) {
          Count count;
          count.text = each->second;
          asked.take("gpus-per-node", count);
        }
      }
    }
    for (const shell::Redirection& redirection : command->redirections)
      if (redirection.op.starts_with("<<")) inner = shell::inner_script(input, *command, redirection.text, input.path, std::nullopt);
    if (inner) start(*inner, context.name, depth + 1, Context(), &asked);
  }

  static Request over(Request out, const Request& asked) {
    const auto take = [](Count& to, const Count& from) {
      if (from.said) to = from;
    };
    // One way to ask for GPUs takes the place of the others.
    if (asked.gpus_said().said) out.gpus_per_node = out.gres = out.gpus = out.gpus_per_task = Count();
    for (Count Request::*count :
         {&Request::nodes, &Request::ntasks, &Request::ntasks_per_node, &Request::ntasks_per_gpu, &Request::gpus_per_node, &Request::gres,
          &Request::gpus, &Request::gpus_per_task, &Request::segment, &Request::partition, &Request::exports})
      take(out.*count, asked.*count);
    if (!asked.gpu.empty()) out.gpu = asked.gpu, out.gpu_at = asked.gpu_at;
    out.any |= asked.any;
    return out;
  }

  static Request inherited(Request step, const Request& job) {
    const auto take = [](Count& to, const Count& from) {
      if (!to.said) to = from;
    };
    const bool own = step.ntasks.said;
    take(step.nodes, job.nodes);
    if (!own) take(step.ntasks, job.ntasks), take(step.ntasks_per_node, job.ntasks_per_node), take(step.ntasks_per_gpu, job.ntasks_per_gpu);
    if (!step.gpus_said().said)
      step.gpus_per_node = job.gpus_per_node, step.gres = job.gres, step.gpus = job.gpus, step.gpus_per_task = job.gpus_per_task;
    take(step.segment, job.segment);
    step.any |= job.any;
    if (step.gpu.empty()) step.gpu = job.gpu, step.gpu_at = job.gpu_at;
    return step;
  }

  void add(std::optional<Training> training) {
    if (training) out_.trainings.push_back(std::move(*training));
  }

  const Files& files_;
  const SourcePtr& source_;
  const World& world_;
  const Submission submission_;
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

Reading read(const Files& files, const SourcePtr& source, const World& world, const Submission& submission, const Programs& programs) {
  return Commands(files, source, world, submission, programs).run();
}

struct Reader::Inner {
  Commands commands;
};
Reader::Reader(const Files& files, const SourcePtr& source, const World& world)
    : inner_(std::make_unique<Inner>(Inner{Commands(files, source, world)})) {}
Reader::~Reader() = default;
void Reader::command(shell::Command command, shell::Environment environment, const Context& context) {
  inner_->commands.one(std::move(command), std::move(environment), context);
}
void Reader::text(shell::Text code, shell::Environment environment, const Context& context) {
  inner_->commands.all(std::move(code), std::move(environment), context);
}
Reading Reader::done() { return inner_->commands.done(); }

}  // namespace shardlint::launch
