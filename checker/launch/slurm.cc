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
  if (name == "ntasks-per-node" || name == "tasks-per-node") return number(ntasks_per_node);
  if (name == "gres") {
    const std::optional<Text> resource = gpu_resource(count.text);
    if (!resource) return;
    count.text = gpu_count(*resource, type);
    gres = true;
    model(type);
    return number(gpus_per_node);
  }
  if (name == "gpus-per-node" || name == "gpus" || name == "gpus-per-task") {
    count.text = gpu_count(count.text, type);
    model(type);
    return number(name == "gpus" ? gpus : name == "gpus-per-task" ? gpus_per_task : gpus_per_node);
  }
  if (name == "constraint" && count.text.known() && count.text.flat().find_first_of("|&[") == std::string::npos && gpu.empty())
    model(count.text.flat());
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
      says(given.gpus_per_node, on_node) || says(given.gpus, in_all) || says(given.gpus_per_task, gpus_per_task.value))
    return;
  // Resources of two options are added up by Slurm, and come as one list.
  if (name == "gres" && value.flat().find("gpu") != value.flat().rfind("gpu")) return;
  if (given.gpus.said || given.gpus_per_node.said || given.gpus_per_task.said) gpus_per_node = gpus = gpus_per_task = Count();
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

std::optional<i64> Request::node_count() const {
  if (nodes.said) return nodes.value;
  if (ntasks.said) {
    if (!ntasks_per_node.said) return std::nullopt;  // as many as are needed for them
    if (ntasks.value && ntasks_per_node.value && *ntasks_per_node.value > 0)
      return (*ntasks.value + *ntasks_per_node.value - 1) / *ntasks_per_node.value;
    return std::nullopt;
  }
  return 1;
}
std::optional<i64> Request::tasks_on_node() const {
  const std::optional<i64> count = node_count();
  if (ntasks.said) {
    if (ntasks.value && count && *count > 0 && *ntasks.value % *count == 0) return *ntasks.value / *count;
    return std::nullopt;
  }
  if (ntasks_per_node.said) return ntasks_per_node.value;
  return 1;
}
std::optional<i64> Request::tasks() const {
  if (ntasks.said) return ntasks.value;
  const std::optional<i64> count = node_count(), each = tasks_on_node();
  return count && each ? std::optional(*count * *each) : std::nullopt;
}
std::optional<i64> Request::gpus_on_node() const {
  if (gpus_per_node.said) return gpus_per_node.value;
  const std::optional<i64> count = node_count();
  if (gpus.said) return gpus.value && count && *count > 0 && *gpus.value % *count == 0 ? std::optional(*gpus.value / *count) : std::nullopt;
  const std::optional<i64> each = tasks_on_node();
  if (gpus_per_task.said) return gpus_per_task.value && each ? std::optional(*gpus_per_task.value * *each) : std::nullopt;
  return std::nullopt;
}
const Count& Request::gpus_said() const { return gpus_per_node.said ? gpus_per_node : gpus.said ? gpus : gpus_per_task; }
const Count& Request::tasks_said() const { return ntasks.said ? ntasks : ntasks_per_node; }

Request directives(const std::vector<shell::Comment>& comments, std::vector<Finding>& findings) {
  Request out;
  const auto say = [&](const Place& place, std::string message, std::string effect) {
    Finding& finding = findings.emplace_back();
    finding.rule = launching::kDirective.name, finding.family = launching::kDirective.family, finding.severity = Severity::Error;
    finding.message = std::move(message), finding.effect = std::move(effect), finding.place = place;
  };
  for (const shell::Comment& comment : comments) {
    const std::string& flat = comment.text.flat();
    if (!comment.line_start || !flat.starts_with("#SBATCH") || (flat.size() > 7 && flat[7] != ' ' && flat[7] != '\t')) continue;
    struct Piece {
      std::size_t begin, end;
    };
    std::vector<Piece> pieces;
    for (std::size_t i = 7; i < flat.size();) {
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
    if (pieces.size() == 1 && (flat.substr(pieces[0].begin) == "hetjob" || flat.substr(pieces[0].begin) == "packjob")) break;
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
      out.take(name, {true, {}, value, nullptr, 0, 1});
    }
  }
  return out;
}

shell::Environment variables(const Request& request, const Place& place) {
  shell::Environment out;
  const auto set = [&](const char* name, const std::optional<i64>& value, const Count& count) {
    if (!value) return;
    const Place from = count.said && count.text.place() ? count.text.place() : place;
    out.insert_or_assign(name, Text::given(std::to_string(*value), from));
  };
  if (!request.any) return out;
  set("SLURM_NNODES", request.node_count(), request.nodes);
  set("SLURM_JOB_NUM_NODES", request.node_count(), request.nodes);
  if (request.ntasks.said || request.ntasks_per_node.said) {
    set("SLURM_NTASKS", request.tasks(), request.tasks_said());
    set("SLURM_NPROCS", request.tasks(), request.tasks_said());
  }
  if (request.ntasks_per_node.said) set("SLURM_NTASKS_PER_NODE", request.ntasks_per_node.value, request.ntasks_per_node);
  set("SLURM_GPUS_ON_NODE", request.gpus_on_node(), request.gpus_said());
  if (!request.gres) set("SLURM_GPUS_PER_NODE", request.gpus_per_node.value, request.gpus_per_node);
  set("SLURM_GPUS", request.gpus.value, request.gpus);
  return out;
}

}  // namespace shardlint::launch
