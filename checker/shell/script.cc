#include "checker/shell/script.h"

#include <algorithm>

#include "checker/shell/evaluator.h"

namespace shardlint::shell {
namespace {

constexpr std::size_t kMostRemarks = 100;

bool is_shell(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  return name == "bash" || name == "sh" || name == "dash";
}

// A text in the fewest quotes that make it one word again.
std::string quoted(const Text& text) {
  std::string out;
  bool plain = !text.empty();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.is_hole(i)) continue;
    const char c = text.flat()[i];
    plain &=
        scan::name_char(c) || std::string_view("-+=./:,@%[]*{}").find(c) != std::string_view::npos || (i > 0 && (c == '#' || c == '~'));
  }
  for (const Run& run : text.runs()) out += run.hole ? "?{" + run.hole->because + "}" : run.text;
  return plain ? out : "'" + out + "'";
}

}  // namespace

std::optional<std::string> locate(const Files& files, const std::string& workspace, const std::string& folder, const std::string& script,
                                  const std::string& name) {
  const Inside inside(files, workspace);
  for (const std::string& base : {folder, folder_of(script)}) {
    const std::string path = join(base, name);
    if (inside.has(path) && !files.is_folder(path)) return path;
    if (name.starts_with('/')) break;
  }
  return std::nullopt;
}

Evaluator::Evaluator(const Input& input) : input_(input) {
  for (const auto& [name, text] : input.environment) {
    auto variable = std::make_shared<Variable>();
    variable->exported = true;
    variable->text = text;
    state_.variables[name] = std::move(variable);
  }
  if (input.arguments) {
    for (const Text& text : *input.arguments) {
      const Hole* unknown = text.hole();
      state_.arguments.push_back({text, unknown && unknown->many ? Word::Count::Any : Word::Count::One, false, {}});
    }
  } else {
    state_.arguments.push_back({hole(Why::Argument, "the script's arguments decide", {}, "@", true), Word::Count::Any, false, {}});
  }
  state_.name = Text::given(input.path, {});
  if (!input.written.empty()) state_.written = std::make_shared<const Written>(input.written);
}

bool Evaluator::spend(std::size_t steps, std::size_t bytes) {
  steps_ += steps;
  bytes_ += bytes;
  if (ended_) return false;
  if (steps_ <= input_.limits.steps && bytes_ <= input_.limits.total) return true;
  ended_ = true;
  const std::size_t silent = std::exchange(silent_, 0);
  remark(Remark::Kind::Limit, "the script does more than is read; what follows is unknown", input_.code.place());
  silent_ = silent;
  return false;
}

bool Evaluator::too_deep(Place place) {
  if (depth_ <= input_.limits.depth) return false;
  remark(Remark::Kind::Limit, "this is nested too deeply to be followed", std::move(place));
  return true;
}

void Evaluator::remark(Remark::Kind kind, std::string message, Place place) {
  if (silent_ > 0 || out_.remarks.size() >= kMostRemarks) return;
  for (const Remark& said : out_.remarks)
    if (said.kind == kind && said.message == message && said.place.source == place.source && said.place.range == place.range) return;
  out_.remarks.push_back({kind, std::move(message), std::move(place)});
}

Text Evaluator::hole(Why why, std::string because, Place place, std::string name, bool many) const {
  Hole out;
  out.why = why;
  out.name = std::move(name);
  out.because = std::move(because);
  out.place = std::move(place);
  out.many = many;
  return Text::unknown(std::move(out));
}

std::string Evaluator::line_of(const Place& place) const {
  return place ? "line " + std::to_string(place.source->position(place.range.begin).line) : "a line";
}

std::string Evaluator::excerpt(const Code& code, scan::Span span) const {
  std::string out;
  for (const char c : code.bytes().substr(span.begin, span.end - span.begin)) {
    if (out.size() >= 60) return out + "...";
    if (scan::space(c) && (out.empty() || out.back() == ' ')) continue;
    out += scan::space(c) ? ' ' : c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

Script Evaluator::run() {
  if (input_.code.size() > input_.limits.bytes) {
    remark(Remark::Kind::Limit, "the script is larger than is read", input_.code.place());
    return std::move(out_);
  }
  const CodePtr code = parse(input_.code, input_.path);
  codes_.push_back(code);
  const std::string_view bytes = code->bytes();
  std::size_t first = code->root.children.empty() ? bytes.size() : code->root.children.front().span.begin;
  for (const scan::Span span : code->unreadable) {
    if (bytes.substr(span.begin, span.end - span.begin).find_first_not_of(" \t\r\n") == std::string_view::npos) continue;
    first = std::min(first, span.begin);
    remark(Remark::Kind::Unreadable, "this cannot be read as bash", code->at(span).place());
  }
  if (code->too_deep) remark(Remark::Kind::Limit, "this is nested too deeply to be followed", code->text.place());
  for (const scan::Span span : code->comments) {
    Comment comment;
    comment.text = code->at(span);
    comment.place = comment.text.place();
    comment.line_start = span.begin == 0 || bytes[span.begin - 1] == '\n';
    comment.after_command = span.begin > first;
    out_.comments.push_back(std::move(comment));
  }
  frames_.push_back({Frame::Kind::Script, {}, false, {}});
  sequence(*code, code->root);
  for (const auto& [name, variable] : state_.variables)
    if (variable->set && variable->kind == Variable::Kind::Scalar) out_.variables.emplace(name, variable->text);
  return std::move(out_);
}

Script evaluate(const Input& input) { return Evaluator(input).run(); }

Input inner_script(const Input& outer, const Command& command, Text code, std::string path, std::optional<std::vector<Text>> arguments) {
  Input out;
  out.code = std::move(code);
  out.path = std::move(path);
  out.arguments = std::move(arguments);
  if (command.environment) out.environment = *command.environment;
  if (command.written) out.written = *command.written;
  out.files = outer.files;
  out.workspace = outer.workspace;
  out.take = outer.take;
  out.limits = outer.limits;
  return out;
}

std::optional<Input> inner_script(const Input& outer, const Command& command, std::size_t first) {
  const std::vector<Word>& argv = command.argv;
  if (first >= argv.size() || argv[first].count != Word::Count::One || !argv[first].text.known()) return std::nullopt;
  const auto rest = [&](std::size_t from) {
    std::vector<Text> out;
    for (std::size_t i = from; i < argv.size(); ++i) out.push_back(argv[i].text);
    return out;
  };
  const auto file = [&](std::size_t at) -> std::optional<Input> {
    const std::optional<std::string> name = argv[at].text.str(), folder = command.folder.str();
    if (!name || name->empty()) return std::nullopt;
    if (command.written && folder) {
      const auto found = command.written->find(join(*folder, *name));
      if (found != command.written->end()) return inner_script(outer, command, found->second, join(*folder, *name), rest(at + 1));
    }
    if (!outer.files) return std::nullopt;
    const std::optional<std::string> path = locate(*outer.files, outer.workspace, folder.value_or(""), outer.path, *name);
    if (!path) return std::nullopt;
    const Files::Read read = outer.files->read(*path);
    if (!read.text || read.text->size() > outer.limits.bytes) return std::nullopt;
    return inner_script(outer, command, Text::of(std::make_shared<const Source>(*path, *read.text)), *path, rest(at + 1));
  };

  const std::string& name = argv[first].text.flat();
  if (!is_shell(name)) {
    const bool by_name = name.ends_with(".sh") || name.ends_with(".bash");
    return by_name ? file(first) : std::nullopt;
  }
  bool text_follows = false;
  std::size_t at = first + 1;
  for (; at < argv.size(); ++at) {
    const std::string& option = argv[at].text.flat();
    if (option.size() < 2 || (option[0] != '-' && option[0] != '+')) break;
    if (option == "--") {
      ++at;
      break;
    }
    if (option.starts_with("--")) {
      if (option == "--rcfile" || option == "--init-file") ++at;
      continue;
    }
    if (option.find('c') != std::string::npos) text_follows = true;
    if (option.ends_with('o') || option.ends_with('O')) ++at;
  }
  if (at < argv.size()) {
    if (argv[at].count == Word::Count::Any) return std::nullopt;
    if (!text_follows) return file(at);
    std::vector<Text> arguments = rest(std::min(at + 2, argv.size()));
    return inner_script(outer, command, argv[at].text, at + 1 < argv.size() ? argv[at + 1].text.shown() : name, std::move(arguments));
  }
  if (text_follows) return std::nullopt;
  for (const Redirection& r : command.redirections)
    if (r.op == "<<" || r.op == "<<-" || r.op == "<<<" || r.op == "|")
      return r.text.runs().size() == 1 && !r.text.known() ? std::nullopt
                                                          : std::optional(inner_script(outer, command, r.text, name, std::vector<Text>{}));
  return std::nullopt;
}

std::string dump(const Command& command) {
  std::string out;
  for (const Condition& condition : command.conditions) out += "if " + condition.says + ": ";
  for (const Turn& turn : command.turns)
    if (!turn.variable.empty()) out += turn.variable + "=" + turn.value + ": ";
  for (const Setting& setting : command.settings) out += setting.name + "=" + quoted(setting.value) + " ";
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    const Word& word = command.argv[i];
    out += (i == 0 ? "" : " ") + quoted(word.text) + (word.count == Word::Count::Any ? "..." : "");
  }
  for (const Redirection& r : command.redirections) {
    out += " ";
    if (r.descriptor >= 0) out += std::to_string(r.descriptor);
    out += r.op + quoted(r.text);
  }
  if (command.background) out += " &";
  return out;
}

std::string dump(const Script& script) {
  std::string out;
  for (const Command& command : script.commands) out += dump(command) + "\n";
  for (const Remark& remark : script.remarks) out += "# " + remark.message + "\n";
  return out;
}

}  // namespace shardlint::shell
