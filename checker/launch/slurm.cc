#include "checker/launch/slurm.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "checker/diag/launch.h"
#include "checker/schema/schema.h"
#include "checker/shell/edit.h"

namespace shardlint::launch {

namespace {

using shell::Text;

// A text in a directive, which is written where it stands.
class TextSpot : public Spot {
 public:
  explicit TextSpot(Text text) : text_(std::move(text)) {}
  std::optional<std::vector<Edit>> write(const Value& to) const override { return shell::write_text(text_, to_string(to)); }
  std::optional<std::vector<Edit>> remove() const override { return std::nullopt; }
  std::optional<std::vector<Edit>> rename(std::string_view) const override { return std::nullopt; }

 private:
  Text text_;
};

// A number that may be changed, and neither taken away nor renamed.
class NumberSpot : public Spot {
 public:
  explicit NumberSpot(std::shared_ptr<const Spot> inner) : inner_(std::move(inner)) {}
  std::optional<std::vector<Edit>> write(const Value& to) const override { return inner_->write(to); }
  std::optional<std::vector<Edit>> remove() const override { return std::nullopt; }
  std::optional<std::vector<Edit>> rename(std::string_view) const override { return std::nullopt; }

 private:
  std::shared_ptr<const Spot> inner_;
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return out;
}

// "nvidia_h100_80gb", "h100" -> "H100"; empty for a name that is no GPU's.
std::string gpu_named(std::string_view type) {
  std::string best;
  const std::string word = lower(type);
  for (const Schema* schema : schemas())
    for (const TableSpec& table : schema->tables) {
      if (table.name != "gpus" || table.columns.empty()) continue;
      for (std::size_t row = 0; row + table.columns.size() <= table.cells.size(); row += table.columns.size()) {
        const std::string_view name = table.cells[row];
        const std::string small = lower(name);
        const std::size_t at = word.find(small);
        const auto edge = [&](std::size_t i) { return i >= word.size() || word[i] == '_' || word[i] == '-'; };
        if (at == std::string::npos || !(at == 0 || edge(at - 1)) || !edge(at + small.size())) continue;
        if (name.size() > best.size()) best = name;
      }
      return best;
    }
  return best;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// [type:]count, without a count one; the type is kept in `type`.
Text gpu_count(const Text& spec, std::string& type) {
  const std::string& flat = spec.flat();
  const std::size_t colon = flat.rfind(':');
  if (colon == std::string::npos) {
    if (is_number(flat) || !spec.known()) return spec;
    type = flat;
    return Text::given("1", spec.place());
  }
  if (!is_number(std::string_view(flat).substr(colon + 1)) && spec.known()) {
    type = flat.substr(colon + 1);
    return Text::given("1", spec.place());
  }
  type = flat.substr(0, colon);
  return spec.slice(colon + 1, flat.size());
}

// The gpu among several resources: "gpu:h100:8,nvme:1".
std::optional<Text> gpu_resource(const Text& spec) {
  const std::string& flat = spec.flat();
  for (std::size_t begin = 0; begin <= flat.size();) {
    const std::size_t end = std::min(flat.find(',', begin), flat.size());
    const std::string_view item = std::string_view(flat).substr(begin, end - begin);
    std::size_t skip = item.starts_with("gres/") ? 5 : 0;
    if (item.substr(skip) == "gpu") return Text::given("1", spec.place());
    if (item.substr(skip).starts_with("gpu:") || item.substr(skip).starts_with("gpu=")) return spec.slice(begin + skip + 4, end);
    begin = end + 1;
  }
  return std::nullopt;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

std::optional<i64> whole(const Text& text) {
  const std::optional<std::string> known = text.str();
  if (!known || !is_number(*known)) return std::nullopt;
  i64 out = 0;
  const auto [end, error] = std::from_chars(known->data(), known->data() + known->size(), out);
  return error == std::errc() && out < (i64{1} << 40) ? std::optional(out) : std::nullopt;
}

Fact Count::fact(std::string_view field) const {
  Fact out;
  if (command) {
    shell::locate(out, {command, first, count, text});
    if (out.spot) out.spot = std::make_shared<NumberSpot>(std::move(out.spot));
  } else {
    out.place = out.key_place = text.place();
    if (const shell::Hole* hole = text.hole())
      out.open = hole->because.empty() ? "something decides that is not known here" : hole->because;
    out.way = Way::Word;
    if (text.literal() && (!value || whole(text) == value)) out.spot = std::make_shared<TextSpot>(text);
    if (std::vector<Step> steps = text.chain(); !steps.empty()) out.chain = std::make_shared<const std::vector<Step>>(std::move(steps));
  }
  out.path = out.spelled = std::string(field);
  out.attached = true;
  if (value)
    out.value = *value;
  else if (out.open.empty())
    out.open = "what is written here is no number";
  if (!out.place) out.place = out.key_place;
  // What a server has and how many there are is changed where it is asked for.
  if (field == "gpus_per_node" || field == "nodes") out.spot = nullptr;
  return out;
}

Place Count::place() const {
  const Fact out = fact("x");
  return out.place ? out.place : out.key_place;
}

Fact Count::fact(std::string_view field, i64 other) const {
  Fact out = fact(field);
  out.spot = nullptr;  // it is worked out: who changed what stands there would change more than this
  out.value = other, out.open.clear();
  return out;
}

std::string long_name(const std::string& name) {
  if (name == "N") return "nodes";
  if (name == "n") return "ntasks";
  if (name == "G") return "gpus";
  if (name == "C") return "constraint";
  if (name == "p") return "partition";
  if (name == "J") return "job-name";
  if (name == "tasks-per-node") return "ntasks-per-node";
  if (name == "pack-group") return "het-group";
  return name;
}

bool without_value(std::string_view option) {
  for (std::string_view one : {"label",
                               "l",
                               "unbuffered",
                               "u",
                               "exclusive",
                               "overlap",
                               "K",
                               "kill-on-bad-exit",
                               "verbose",
                               "v",
                               "quiet",
                               "Q",
                               "pty",
                               "multi-prog",
                               "no-kill",
                               "k",
                               "oversubscribe",
                               "s",
                               "overcommit",
                               "O",
                               "wait-all-nodes",
                               "no-container-mount-home",
                               "container-mount-home",
                               "container-writable",
                               "no-container-entrypoint",
                               "container-remap-root",
                               "no-container-remap-root",
                               "contiguous",
                               "requeue",
                               "no-requeue",
                               "parsable",
                               "wait",
                               "W",
                               "H",
                               "hold",
                               "whole",
                               "disable-status",
                               "X",
                               "interactive",
                               "E",
                               "preserve-env",
                               "test-only",
                               "spread-job",
                               "reboot",
                               "use-min-nodes",
                               "ignore-pbs",
                               "get-user-env",
                               "nice",
                               "propagate",
                               "help",
                               "h",
                               "usage",
                               "version",
                               "V"})
    if (option == one) return true;
  return false;
}

void Request::take(const std::string& name, Count count) {
  count.said = true;
  const auto number = [&](Count& to) {
    count.value = whole(count.text);
    to = std::move(count), any = true;
  };
  const auto model = [&](const std::string& type) {
    const std::string known = gpu_named(type);
    if (!known.empty()) gpu = known, gpu_at = count;
  };
  std::string type;
  if (name == "nodes") return number(nodes);
  if (name == "ntasks") return number(ntasks);
  if (name == "ntasks-per-node") return number(ntasks_per_node);
  if (name == "ntasks-per-gpu") return number(ntasks_per_gpu);
  if (name == "segment") return number(segment);
  if (name == "gres") {
    const std::optional<Text> resource = gpu_resource(count.text);
    if (!resource) return;
    count.text = gpu_count(*resource, type);
    model(type);
    return number(gres);
  }
  if (name == "gpus-per-node" || name == "gpus" || name == "gpus-per-task") {
    count.text = gpu_count(count.text, type);
    model(type);
    return number(name == "gpus" ? gpus : name == "gpus-per-task" ? gpus_per_task : gpus_per_node);
  }
  if (name == "constraint" && count.text.known() && count.text.flat().find_first_of("|&[") == std::string::npos && gpu.empty())
    model(count.text.flat());
  if (name == "partition") partition = count;
  if (name == "export") exports = count;
  if (name == "job-name") job_name = count;
  if (name == "container-mounts") mounts = count;
  if (name == "container-workdir") workdir = count;
  if (name == "het-group") groups = count;
}

void Request::give(const std::string& name, const Text& value) {
  Request given;
  given.take(name, {true, {}, value, nullptr, 0, 1});
  if (gpu.empty() && !given.gpu.empty()) gpu = given.gpu, gpu_at = given.gpu_at;
  if (!given.any) return;
  const auto says = [](const Count& count, const std::optional<i64>& now) { return count.said && count.value && count.value == now; };
  const std::optional<i64> on_node = gpus_on_node(), count = node_count();
  const std::optional<i64> in_all = on_node && count ? std::optional(*on_node * *count) : std::nullopt;
  if (says(given.nodes, node_count()) || says(given.ntasks, tasks()) || says(given.ntasks_per_node, tasks_on_node()) ||
      says(given.gpus_per_node, on_node) || says(given.gres, on_node) || says(given.gpus, in_all) ||
      says(given.gpus_per_task, gpus_per_task.value))
    return;
  // Resources of two options are added up by Slurm, and come as one list.
  if (name == "gres" && value.flat().find("gpu") != value.flat().rfind("gpu")) return;
  if (given.gpus_said().said) gpus_per_node = gres = gpus = gpus_per_task = Count();
  take(name, {true, {}, value, nullptr, 0, 1});
}

SbatchWords sbatch_words(const std::vector<std::string>& words) {
  SbatchWords out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word.size() < 2 || word[0] != '-') {
      out.script = at;
      break;
    }
    const bool is_long = word.starts_with("--");
    const std::size_t equals = is_long ? word.find('=') : std::string::npos;
    SbatchWords::Option option{long_name(is_long ? word.substr(2, equals == std::string::npos ? equals : equals - 2) : word.substr(1, 1)),
                               "", at};
    if (equals != std::string::npos)
      option.value = word.substr(equals + 1);
    else if (!is_long && word.size() > 2)
      option.value = word.substr(2);
    else if (!without_value(option.name) && at + 1 < words.size())
      option.value = words[++at], option.word = at;
    out.options.push_back(std::move(option));
  }
  return out;
}

namespace {

std::optional<i64> quotient(std::optional<i64> all, std::optional<i64> each) {
  return all && each && *each > 0 && *all % *each == 0 ? std::optional(*all / *each) : std::nullopt;
}

}  // namespace

std::optional<i64> Request::node_count() const {
  if (nodes.said) return nodes.value;
  // As many as are needed for what is asked in all.
  if (gpus.said)
    return gpus_per_node.said || gres.said ? quotient(gpus.value, (gpus_per_node.said ? gpus_per_node : gres).value) : std::nullopt;
  if (ntasks.said) {
    if (!ntasks_per_node.said) return std::nullopt;
    if (ntasks.value && ntasks_per_node.value && *ntasks_per_node.value > 0)
      return (*ntasks.value + *ntasks_per_node.value - 1) / *ntasks_per_node.value;
    return std::nullopt;
  }
  return 1;
}
std::optional<i64> Request::tasks_on_node() const {
  if (ntasks.said) return quotient(ntasks.value, node_count());
  if (ntasks_per_node.said) return ntasks_per_node.value;
  if (ntasks_per_gpu.said) {
    const std::optional<i64> each = gpus_per_node.said ? gpus_per_node.value : gres.said ? gres.value : quotient(gpus.value, node_count());
    return each && ntasks_per_gpu.value && *each < 1024 && *ntasks_per_gpu.value < 1024 ? std::optional(*each * *ntasks_per_gpu.value)
                                                                                        : std::nullopt;
  }
  return 1;
}
std::optional<i64> Request::tasks() const {
  if (ntasks.said) return ntasks.value;
  const std::optional<i64> count = node_count(), each = tasks_on_node();
  return count && each ? std::optional(*count * *each) : std::nullopt;
}
std::optional<i64> Request::gpus_on_node() const {
  if (gpus_per_node.said) return gpus_per_node.value;
  if (gres.said) return gres.value;
  if (gpus.said) return quotient(gpus.value, node_count());
  const std::optional<i64> each = tasks_on_node();
  if (gpus_per_task.said) return gpus_per_task.value && each ? std::optional(*gpus_per_task.value * *each) : std::nullopt;
  return std::nullopt;
}
const Count& Request::gpus_said() const { return gpus_per_node.said ? gpus_per_node : gres.said ? gres : gpus.said ? gpus : gpus_per_task; }
const Count& Request::tasks_said() const { return ntasks.said ? ntasks : ntasks_per_node.said ? ntasks_per_node : ntasks_per_gpu; }

void contradictions(const Request& request, std::vector<Finding>& findings) {
  const auto say = [&](const RuleInfo& info, const Count& at, std::string message, std::string effect) -> Finding& {
    Finding& finding = findings.emplace_back();
    finding.rule = info.name, finding.family = info.family, finding.severity = info.severity;
    finding.message = std::move(message), finding.effect = std::move(effect), finding.place = at.place();
    return finding;
  };
  const std::optional<i64> nodes = request.nodes.said ? request.nodes.value : std::nullopt;
  const std::optional<i64> per_node = request.gpus_per_node.value, gres = request.gres.value, all = request.gpus.value;
  if (per_node && gres && *per_node != *gres) {
    say(launching::kGpuRequests, request.gpus_per_node,
        fmt::format("--gpus-per-node asks for {} on each server, and --gres for {}", plural(*per_node, "GPU"), *gres),
        "Slurm refuses the job or gives it one of the two; say it once")
        .notes.push_back({fmt::format("--gres asks for {} here", plural(*gres, "GPU")), request.gres.place()});
  } else if (const Count& each = request.gpus_per_node.said ? request.gpus_per_node : request.gres;
             all && nodes && each.value && *each.value < 1'000'000 && *nodes < 1'000'000 && *all != *nodes * *each.value) {
    say(launching::kGpuRequests, request.gpus,
        fmt::format("--gpus asks for {} in all, and {} with {} each are {}", grouped(*all), plural(*nodes, "server"), *each.value,
                    grouped(*nodes * *each.value)),
        "Slurm refuses the job")
        .notes.push_back({fmt::format("{} on each server are asked for here", plural(*each.value, "GPU")), each.place()});
  }
  const std::optional<i64> tasks = request.ntasks.value, each = request.ntasks_per_node.value;
  if (tasks && nodes && each && *each < 1'000'000 && *nodes < 1'000'000 && *tasks != *nodes * *each) {
    say(launching::kTaskCounts, request.ntasks,
        fmt::format("--ntasks is {}, and {} with {} each are {}", grouped(*tasks), plural(*nodes, "server"), plural(*each, "task"),
                    grouped(*nodes * *each)),
        *tasks > *nodes * *each ? "Slurm refuses the job" : "--ntasks wins, and --ntasks-per-node is only the most that a server gets")
        .notes.push_back({fmt::format("--ntasks-per-node is {} here", *each), request.ntasks_per_node.place()});
  } else if (tasks && nodes && !request.ntasks_per_node.said && *nodes > 0 && *tasks > *nodes && *tasks % *nodes != 0) {
    say(launching::kTaskCounts, request.ntasks,
        fmt::format("{} cannot be dealt evenly to {}", plural(*tasks, "task"), plural(*nodes, "server")),
        "some servers get one task more than others")
        .notes.push_back({fmt::format("--nodes is {} here", *nodes), request.nodes.place()});
  }
}

Request together(const std::vector<const Request*>& components) {
  if (components.size() == 1) return *components[0];
  Request out;
  out.any = true;
  std::optional<i64> nodes = 0, tasks = 0, gpus;
  bool same = true;
  for (const Request* one : components) {
    const std::optional<i64> count = one->node_count(), started = one->tasks(), each = one->gpus_on_node();
    nodes = nodes && count ? std::optional(*nodes + *count) : std::nullopt;
    tasks = tasks && started ? std::optional(*tasks + *started) : std::nullopt;
    same &= one == components[0] || each == gpus;
    gpus = each;
    if (out.gpu.empty()) out.gpu = one->gpu, out.gpu_at = one->gpu_at;
  }
  const Request& first = *components[0];
  out.nodes = first.nodes.said ? first.nodes : first.tasks_said();
  out.nodes.value = nodes;
  out.ntasks = first.tasks_said().said ? first.tasks_said() : out.nodes;
  out.ntasks.value = tasks;
  out.gpus_per_node = first.gpus_said();
  out.gpus_per_node.value = same ? gpus : std::nullopt;
  if (!same && out.gpus_per_node.said) {
    shell::Hole hole;
    hole.because = "the components of the job have different servers", hole.place = out.gpus_per_node.place();
    out.gpus_per_node.text = Text::unknown(std::move(hole));
  }
  return out;
}

namespace {

// "# SBATCH --nodes=4" is a comment to sbatch. Who wants one writes two signs.
bool commented(const std::string& flat) {
  std::size_t at = 1;
  while (at < flat.size() && (flat[at] == ' ' || flat[at] == '\t')) ++at;
  return at > 1 && flat.compare(at, 9, "SBATCH --") == 0;
}

}  // namespace

Directives directives(const std::vector<shell::Comment>& comments) {
  Directives all;
  std::vector<Finding>& findings = all.findings;
  const auto say = [&](const Place& place, std::string message, std::string effect) {
    Finding& finding = findings.emplace_back();
    finding.rule = launching::kDirective.name, finding.family = launching::kDirective.family, finding.severity = Severity::Error;
    finding.message = std::move(message), finding.effect = std::move(effect), finding.place = place;
  };
  struct Accident {
    std::string name;
    const shell::Comment* comment;
  };
  std::vector<Accident> accidents;
  std::vector<std::string> given;  // that are read, by name
  for (const shell::Comment& comment : comments) {
    const std::string& flat = comment.text.flat();
    if (!comment.line_start) continue;
    const bool by_accident = !comment.after_command && commented(flat);
    if (!by_accident && (!flat.starts_with("#SBATCH") || (flat.size() > 7 && flat[7] != ' ' && flat[7] != '\t'))) continue;
    struct Piece {
      std::size_t begin, end;
    };
    std::vector<Piece> pieces;
    for (std::size_t i = by_accident ? flat.find('-') : 7; i < flat.size();) {
      if (flat[i] == ' ' || flat[i] == '\t' || flat[i] == '\r') {
        ++i;
        continue;
      }
      if (flat[i] == '#') break;  // a comment behind the options
      const std::size_t begin = i;
      char quote = 0;
      for (; i < flat.size() && (quote || (flat[i] != ' ' && flat[i] != '\t' && flat[i] != '\r')); ++i) {
        if (quote)
          quote = flat[i] == quote ? '\0' : quote;
        else if (flat[i] == '"' || flat[i] == '\'')
          quote = flat[i];
      }
      pieces.push_back({begin, i});
    }
    const std::string alone = pieces.size() == 1 ? flat.substr(pieces[0].begin, pieces[0].end - pieces[0].begin) : "";
    if (alone == "hetjob" || alone == "packjob") {
      if (!comment.after_command) all.components.emplace_back();
      continue;
    }
    Request& out = all.components.back();
    if (!comment.after_command && !by_accident) all.last = comment;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::string word = flat.substr(pieces[i].begin, pieces[i].end - pieces[i].begin);
      std::string name;
      std::size_t begin = pieces[i].end, end = pieces[i].end;
      if (word.starts_with("--")) {
        const std::size_t equals = word.find('=');
        name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
        if (equals != std::string::npos)
          begin = pieces[i].begin + equals + 1;
        else if (!without_value(name) && i + 1 < pieces.size())
          ++i, begin = pieces[i].begin, end = pieces[i].end;
      } else if (word.size() >= 2 && word[0] == '-') {
        name = word.substr(1, 1);
        if (word.size() > 2)
          begin = pieces[i].begin + 2 + (word[2] == '=');
        else if (!without_value(name) && i + 1 < pieces.size())
          ++i, begin = pieces[i].begin, end = pieces[i].end;
      } else {
        continue;
      }
      if (end > begin + 1 && (flat[begin] == '"' || flat[begin] == '\'') && flat[end - 1] == flat[begin]) ++begin, --end;
      name = long_name(name);
      const Text value = begin < end ? comment.text.slice(begin, end) : Text();
      Request probe;
      probe.take(name, {true, {}, value, nullptr, 0, 1});
      const bool counts = probe.any;
      if (by_accident) {
        if (counts) accidents.push_back({name, &comment});
        continue;
      }
      if (comment.after_command) {
        if (counts)
          say(comment.place, fmt::format("--{}={} stands behind the first command", name, trimmed(value.shown())),
              "sbatch stops reading directives there, so this one is ignored");
        continue;
      }
      // Patterns of file names may hold what looks like a variable; a number may not.
      if (counts && value.known() && value.flat().find('$') != std::string::npos) {
        say(comment.place, fmt::format("--{} holds the shell variable {}, and sbatch expands none", name, value.flat()),
            "sbatch refuses the job; write the number, or give the option to sbatch on its command line");
        shell::Hole hole;
        hole.because = "a shell variable stands in the directive, and sbatch expands none", hole.place = value.place();
        out.take(name, {true, {}, Text::unknown(std::move(hole)), nullptr, 0, 1});
        continue;
      }
      given.push_back(name);
      out.take(name, {true, {}, value, nullptr, 0, 1});
    }
  }
  for (const Accident& one : accidents)
    if (std::find(given.begin(), given.end(), one.name) == given.end() && !given.empty()) {
      say(one.comment->place, fmt::format("--{} stands behind \"# SBATCH\" with a blank, which is a comment to sbatch", one.name),
          "sbatch does not read it; a directive begins with #SBATCH, one that is meant to be off with ##SBATCH");
      findings.back().severity = Severity::Warning;
    }
  for (const Request& component : all.components) contradictions(component, findings);
  return all;
}

shell::Environment variables(const std::vector<Request>& components, const Place& place) {
  shell::Environment out;
  const auto set = [&](const std::string& name, const std::optional<i64>& value, const Count& count) {
    if (!value) return;
    const Place from = count.said && count.text.place() ? count.text.place() : place;
    out.insert_or_assign(name, Text::given(std::to_string(*value), from));
  };
  const auto request = [&](const Request& one, const std::string& ending) {
    set("SLURM_NNODES" + ending, one.node_count(), one.nodes);
    set("SLURM_JOB_NUM_NODES" + ending, one.node_count(), one.nodes);
    if (one.ntasks.said || one.ntasks_per_node.said) {
      set("SLURM_NTASKS" + ending, one.tasks(), one.tasks_said());
      set("SLURM_NPROCS" + ending, one.tasks(), one.tasks_said());
    }
    if (one.ntasks_per_node.said) set("SLURM_NTASKS_PER_NODE" + ending, one.ntasks_per_node.value, one.ntasks_per_node);
    set("SLURM_GPUS_ON_NODE" + ending, one.gpus_on_node(), one.gpus_said());
    set("SLURM_GPUS_PER_NODE" + ending, one.gpus_per_node.value, one.gpus_per_node);
    // --gres leaves it unset, and an unset variable is an empty text to whoever expands it.
    if (!one.gpus_per_node.said && one.gres.said) out.insert_or_assign("SLURM_GPUS_PER_NODE" + ending, Text());
    set("SLURM_GPUS" + ending, one.gpus.value, one.gpus);
  };
  if (components.size() == 1 && !components[0].any) return out;
  request(components[0], "");
  if (components.size() > 1) {
    for (std::size_t i = 0; i < components.size(); ++i) {
      request(components[i], fmt::format("_HET_GROUP_{}", i));
      request(components[i], fmt::format("_PACK_GROUP_{}", i));
    }
    out.insert_or_assign("SLURM_HET_SIZE", Text::given(std::to_string(components.size()), place));
  }
  // The batch script itself runs as the first process of the first server.
  for (const char* name : {"SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID"}) out.insert_or_assign(name, Text::given("0", place));
  out.insert_or_assign("SLURM_SUBMIT_DIR", Text::given(".", place));
  return out;
}

}  // namespace shardlint::launch
