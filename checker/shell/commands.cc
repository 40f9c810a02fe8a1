// Simple commands: what the shell does itself, and what it starts.

#include <algorithm>

#include "checker/shell/evaluator.h"

namespace shardlint::shell {
namespace {

using Count = Word::Count;

std::optional<std::string> known_word(const std::vector<Word>& argv, std::size_t at) {
  if (at >= argv.size() || argv[at].count != Count::One) return std::nullopt;
  return argv[at].text.str();
}

bool to_output(const Redirection& r) {
  return (r.op == ">" || r.op == ">>" || r.op == ">|" || r.op == "&>" || r.op == "&>>") && (r.descriptor == -1 || r.descriptor == 1);
}

// Fails as often as it succeeds, and is asked for that.
bool asks(std::string_view name) {
  static constexpr std::string_view kAll[] = {"grep", "egrep", "fgrep", "diff", "cmp", "pgrep", "which", "type", "hash", "command"};
  return std::find(std::begin(kAll), std::end(kAll), name) != std::end(kAll);
}

bool does_nothing(std::string_view name) {
  static constexpr std::string_view kAll[] = {"trap",    "wait",    "umask", "ulimit", "shopt",    "alias",  "unalias", "hash",
                                              "jobs",    "kill",    "bind",  "enable", "complete", "disown", "fg",      "bg",
                                              "history", "suspend", "times", "caller", "compgen",  "dirs",   "logout",  "help"};
  return std::find(std::begin(kAll), std::end(kAll), name) != std::end(kAll);
}

}  // namespace

Flow Evaluator::simple(const Code& code, std::size_t begin) {
  const std::string_view bytes = code.bytes();
  const scan::Simple s = scan::simple(bytes, begin, bytes.size());
  const Scanned scanned(*this, std::max(s.last, begin + 1));
  for (const scan::Span span : s.not_continued)
    remark(Remark::Kind::BlankAfterBackslash, "this backslash continues nothing: a blank stands behind it", code.at(span).place());
  const Place place = code.at({begin, s.last}).place();

  if (!s.words.empty()) {
    const scan::Span first = s.words.front();
    const std::string_view keyword = bytes.substr(first.begin, first.end - first.begin);
    if (scan::declares(keyword)) {
      state_.status = Truth::yes();
      declare(code, std::vector<scan::Span>(s.words.begin() + 1, s.words.end()), keyword);
      return Flow::Next;
    }
  }
  Command command;
  command.place = place;
  command.argv = words(code, s.words);
  command.redirections = redirections(code, s.redirects);
  if (command.argv.empty()) {
    state_.status = Truth::yes();
    for (const scan::Span span : s.assignments) {
      scan::Assignment found;
      if (scan::assignment(bytes, span, found)) assign(code, found);
    }
    if (s.assignments.empty() && !s.redirects.empty()) deliver(Text(), command.redirections, "");
    return Flow::Next;
  }
  for (const scan::Span span : s.assignments) {
    scan::Assignment found;
    if (!scan::assignment(bytes, span, found)) continue;
    Setting setting;
    setting.name = std::string(bytes.substr(found.name.begin, found.name.end - found.name.begin));
    if (found.append) setting.value = value_of(setting.name, code.at(span).place());
    setting.value.append(marked(value(code.at(found.value), Quoting::Value)));
    setting.place = code.at(span).place();
    command.settings.push_back(std::move(setting));
  }
  return this->command(std::move(command));
}

std::vector<Redirection> Evaluator::redirections(const Code& code, const std::vector<scan::Redirect>& written) {
  std::vector<Redirection> out;
  for (const scan::Redirect& redirect : written) {
    Redirection made;
    made.op = std::string(redirect.op);
    made.descriptor = redirect.descriptor;
    made.place = code.at(redirect.all).place();
    if (redirect.op == "<<" || redirect.op == "<<-") {
      const std::size_t op = redirect.target.begin;
      const HereDocument* here = nullptr;
      for (const HereDocument& candidate : code.here)
        if (candidate.op >= redirect.all.begin && candidate.op < op) here = &candidate;
      const std::string_view delimiter = code.bytes().substr(redirect.target.begin, redirect.target.end - redirect.target.begin);
      const bool literal = delimiter.find_first_of("'\"\\") != std::string_view::npos;
      if (here) {
        Text body;
        Text source = code.at(here->body);
        if (redirect.op == "<<-") {  // leading tabs go
          const std::string& s = source.flat();
          for (std::size_t at = 0; at < s.size();) {
            while (at < s.size() && s[at] == '\t') ++at;
            const std::size_t end = std::min(scan::line_end(s, at) + 1, s.size());
            body.append(source.slice(at, end));
            at = end;
          }
        } else {
          body = std::move(source);
        }
        made.place = body.place() ? body.place() : made.place;
        made.text = literal ? body : value(body, Quoting::Here);
      } else {
        made.text = hole(Why::Unreadable, "the end of this here-document is not found", made.place);
      }
    } else if (redirect.op == "<<<") {
      made.text = value(code.at(redirect.target), Quoting::Value);
      made.text.append(Text::given("\n", {}));
    } else {
      made.text = value(code.at(redirect.target), Quoting::Value);
    }
    out.push_back(std::move(made));
  }
  return out;
}

Flow Evaluator::command(Command command) {
  std::optional<std::string> name = known_word(command.argv, 0);
  if (name && (*name == "command" || *name == "builtin") && command.argv.size() > 1 && !command.argv[1].text.flat().starts_with('-')) {
    command.argv.erase(command.argv.begin());
    name = known_word(command.argv, 0);
  }
  if (name) {
    if (const auto called = state_.functions.find(*name); called != state_.functions.end()) {
      const Called function = called->second;
      std::map<std::string, VariablePtr> hidden;
      for (const Setting& setting : command.settings) {
        const auto before = state_.variables.find(setting.name);
        hidden.emplace(setting.name, before == state_.variables.end() ? nullptr : before->second);
        assign_text(setting.name, setting.value);
        change(setting.name).exported = true;
        exported_ = nullptr;
      }
      groups_.push_back(command.redirections);
      const Flow flow = call(function, command.argv);
      groups_.pop_back();
      for (auto& [key, variable] : hidden) {
        if (variable)
          state_.variables[key] = std::move(variable);
        else
          state_.variables.erase(key);
      }
      exported_ = nullptr;
      return flow;
    }
    bool done = false;
    const Flow flow = builtin(*name, command, done);
    if (done) return flow;
  }
  const std::optional<Text> output = output_of(command);
  state_.status = Truth::command();
  if (name && asks(*name)) state_.status.presumed = false;
  const bool ends = name && *name == "exec" && command.argv.size() > 1;
  if (name && *name == "tee") {
    if (const Text* in = input_of(command))
      for (std::size_t i = 1; i < command.argv.size(); ++i)
        if (!command.argv[i].text.flat().starts_with('-')) write_file(command.argv[i].text, *in, command.argv[1].text.flat() == "-a");
  }
  const std::vector<Redirection> redirected = command.redirections;
  const std::string whose = command.argv.front().text.shown();
  emit(std::move(command));
  deliver(output, redirected, whose);
  return ends ? Flow::Exit : Flow::Next;
}

Flow Evaluator::builtin(const std::string& name, const Command& command, bool& done) {
  const std::vector<Word>& argv = command.argv;
  done = true;
  const auto succeed = [&] {
    state_.status = Truth::yes();
    return Flow::Next;
  };
  if (name == ":" || name == "true") return succeed();
  if (name == "false") {
    state_.status = Truth::no();
    return Flow::Next;
  }
  if (name == "[" || name == "test") {
    std::vector<Word> expression(argv.begin() + 1, argv.end());
    if (name == "[" && !expression.empty() && expression.back().text.flat() == "]") expression.pop_back();
    state_.status = test(expression);
    return Flow::Next;
  }
  if (name == "set") return set_options(argv), succeed();
  if (name == "shift") return shift(argv), succeed();
  if (name == "unset") return unset(argv), succeed();
  if (name == "cd" || name == "pushd" || name == "popd") {
    change_folder(argv);
    state_.status = Truth::command();
    return Flow::Next;
  }
  if (name == "read" || name == "mapfile" || name == "readarray") {
    read_input(command);
    Hole why;
    why.because = "what is read decides";
    why.place = command.place;
    state_.status = Truth::maybe(std::make_shared<const Hole>(std::move(why)));
    return Flow::Next;
  }
  if (name == "getopts") {  // the options are arguments that nobody gives by default
    if (const auto variable = known_word(argv, 2))
      assign_text(*variable, hole(Why::Argument, "the script's options decide", command.place));
    const bool outside =
        std::all_of(state_.arguments.begin(), state_.arguments.end(), [](const Element& e) { return e.count == Count::Any; });
    Hole why;
    why.because = "the script's options decide";
    why.place = command.place;
    state_.status =
        outside ? Truth::no(std::make_shared<const std::string>("@")) : Truth::maybe(std::make_shared<const Hole>(std::move(why)));
    return Flow::Next;
  }
  if (name == "eval") {
    Text code;
    for (std::size_t i = 1; i < argv.size(); ++i) {
      if (i > 1) code.append(Text::given(" ", {}));
      code.append(argv[i].text);
    }
    return inner(std::move(code), codes_.empty() ? input_.path : codes_.front()->path);
  }
  if (name == "source" || name == ".") return source(command);
  if (name == "let") {
    for (std::size_t i = 1; i < argv.size(); ++i) state_.status = truth_of(number(argv[i].text, true));
    return Flow::Next;
  }
  if (name == "exit") return Flow::Exit;
  if (name == "return" || name == "break" || name == "continue") {
    Number n;
    if (argv.size() > 1) n = number(argv[1].text, true);
    if (name == "return") {
      if (argv.size() > 1) state_.status = n.value ? Truth::of(*n.value == 0, n.outside) : Truth::command();
      return Flow::Return;
    }
    levels_ = n.value ? static_cast<int>(std::clamp<i64>(*n.value, 1, 100)) : 1;
    return name == "break" ? Flow::Break : Flow::Continue;
  }
  if (name == "printf" && known_word(argv, 1) == "-v") {
    if (const auto variable = known_word(argv, 2); variable && scan::is_name(*variable)) {
      Command rest;
      rest.argv.assign(argv.begin() + 2, argv.end());
      rest.argv.front() = argv.front();
      const std::optional<Text> output = output_of(rest);
      assign_text(*variable, output ? *output : hole(Why::Other, "this format is not followed", command.place));
    }
    return succeed();
  }
  if (name == "exec" && argv.size() == 1) return succeed();
  if (does_nothing(name)) return succeed();
  done = false;
  return Flow::Next;
}

Flow Evaluator::call(const Called& called, const std::vector<Word>& argv) {
  const Deeper deeper(*this);
  if (calls_.size() > 50 || too_deep(argv.front().place)) {
    remark(Remark::Kind::Limit, "functions call each other too deeply to be followed", argv.front().place);
    state_.status = Truth::command();
    return Flow::Next;
  }
  const Elements outer = state_.arguments;
  const std::size_t conditions = conditions_.size();
  state_.arguments.clear();
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const Word& word = argv[i];
    state_.arguments.push_back({word.text, word.count == Count::Some ? Count::One : word.count, word.pattern, {}});
  }
  frames_.push_back({Frame::Kind::Function, {}, false, {}});
  calls_.push_back(argv.front().text.shown());
  state_.status = Truth::yes();
  Flow flow = statement(*called.code, *called.body);
  calls_.pop_back();
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  conditions_.resize(conditions);
  const auto restore = [&](State& state) {
    for (const auto& [name, variable] : frame.shadowed) {
      if (variable)
        state.variables[name] = variable;
      else
        state.variables.erase(name);
    }
    state.arguments = outer;
  };
  restore(state_);
  Hole why;
  why.why = Why::Branch;
  why.because = "where " + argv.front().text.shown() + " returns decides";
  why.place = argv.front().place;
  for (State& left : frame.left) {
    restore(left);
    join(state_, left, why);
  }
  exported_ = nullptr;
  if (flow == Flow::Return) flow = Flow::Next;
  return ended_ ? Flow::Exit : flow;
}

Flow Evaluator::inner(Text code, std::string path) {
  const Deeper deeper(*this);
  if (too_deep(code.place()) || !spend(20, code.size())) return Flow::Next;
  const CodePtr parsed = parse(std::move(code), std::move(path));
  codes_.push_back(parsed);
  for (const scan::Span span : parsed->unreadable)
    if (const std::string_view bytes = parsed->bytes().substr(span.begin, span.end - span.begin);
        bytes.find_first_not_of(" \t\r\n") != std::string_view::npos)
      remark(Remark::Kind::Unreadable, "this cannot be read as bash", parsed->at(span).place());
  return sequence(*parsed, parsed->root);
}

Flow Evaluator::source(const Command& command) {
  const std::vector<Word>& argv = command.argv;
  state_.status = Truth::command();
  if (argv.size() < 2) return Flow::Next;
  const std::optional<std::string> name = known_word(argv, 1);
  state_.elsewhere |= !name;
  if (!name || name->empty()) return Flow::Next;
  Text code;
  std::string path;
  if (const std::optional<std::string> folder = state_.folder.str(); state_.written && folder) {
    const auto found = state_.written->find(shardlint::join(*folder, *name));
    if (found != state_.written->end()) code = found->second, path = *name;
  }
  if (path.empty()) {
    const bool before = std::exchange(state_.elsewhere, true);  // unless it is read
    if (!input_.files) return Flow::Next;
    const std::optional<std::string> found = locate(*input_.files, input_.workspace, state_.folder.str().value_or(""), input_.path, *name);
    if (!found) {
      if (!name->starts_with('/') && !name->starts_with("..") && state_.folder.known() && name->find('/') != std::string::npos)
        remark(Remark::Kind::MissingSource, "there is no file " + *name, argv[1].place);
      return Flow::Next;
    }
    if (++sources_ > input_.limits.sources) {
      remark(Remark::Kind::Limit, "too many files are sourced to be followed", command.place);
      return Flow::Next;
    }
    SourcePtr& source = read_[*found];
    if (!source) {
      const Files::Read read = input_.files->read(*found);
      if (!read.text || read.text->size() > input_.limits.bytes || read.text->find('\0') != std::string::npos) return Flow::Next;
      source = std::make_shared<const Source>(*found, *read.text);
      out_.sources.push_back(source);
    }
    code = Text::of(source);
    path = *found;
    state_.elsewhere = before;
  }
  const Elements outer = state_.arguments;
  if (argv.size() > 2) set_arguments(argv, 2);
  const Elements given = state_.arguments;
  const std::size_t conditions = conditions_.size();
  frames_.push_back({Frame::Kind::Function, {}, false, {}});
  Flow flow = inner(std::move(code), path);
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  conditions_.resize(conditions);
  if (argv.size() > 2) state_.arguments = outer;
  Hole why;
  why.why = Why::Branch;
  why.because = "where " + *name + " returns decides";
  why.place = command.place;
  for (State& left : frame.left) {
    if (argv.size() > 2) left.arguments = outer;
    join(state_, left, why);
  }
  if (flow == Flow::Return) flow = Flow::Next;
  return ended_ ? Flow::Exit : flow;
}

void Evaluator::declare(const Code& code, const std::vector<scan::Span>& spans, std::string_view keyword) {
  bool exported = keyword == "export", integer = false, array = false, table = false, global = false, stop = false, names_only = false;
  const bool in_function =
      std::any_of(frames_.begin(), frames_.end(), [](const Frame& f) { return f.kind == Frame::Kind::Function; }) && !calls_.empty();
  const std::string_view bytes = code.bytes();
  const auto hide = [&](const std::string& name) {
    if (global || !in_function || keyword == "export" || keyword == "readonly") return;
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      if (frame->kind != Frame::Kind::Function) continue;
      const auto before = state_.variables.find(name);
      frame->shadowed.emplace(name, before == state_.variables.end() ? nullptr : before->second);
      return;
    }
  };
  const auto attributes = [&](const std::string& name) {
    Variable& variable = change(name);
    variable.exported |= exported;
    variable.integer |= integer;
    exported_ = nullptr;
  };
  for (const scan::Span span : spans) {
    scan::Assignment found;
    const std::string_view raw = bytes.substr(span.begin, span.end - span.begin);
    if (!stop && raw.size() > 1 && (raw[0] == '-' || raw[0] == '+')) {
      const bool on = raw[0] == '-';
      if (raw == "--") stop = true;
      for (const char flag : raw.substr(1)) {
        if (flag == 'x') exported = on;
        if (flag == 'i') integer = on;
        if (flag == 'a') array = on;
        if (flag == 'A') table = on;
        if (flag == 'g') global = on;
        if (flag == 'n' && keyword == "export") exported = !on, names_only = true;
        if (flag == 'f' || flag == 'F' || flag == 'p' || (flag == 'n' && keyword != "export")) return;
      }
      continue;
    }
    if (scan::assignment(bytes, span, found)) {
      const std::string name(bytes.substr(found.name.begin, found.name.end - found.name.begin));
      const bool is_list = !found.value.empty() && bytes[found.value.begin] == '(';
      if (!is_list && !found.indexed && !found.append) {
        Text text = value(code.at(found.value), Quoting::Value);
        hide(name);
        if (integer) change(name).integer = true;
        const VariablePtr before = find(name);
        if (before && before->kind != Variable::Kind::Scalar) state_.variables.erase(name);
        assign_text(name, std::move(text));
      } else {
        hide(name);
        if (is_list && !found.append) state_.variables.erase(name);
        assign(code, found, table);
      }
      attributes(name);
      continue;
    }
    for (const Word& word : words(code, {span})) {
      const std::string& text = word.text.flat();
      const std::size_t equals = text.find('=');
      const std::string name = text.substr(0, equals);
      if (!scan::is_name(name)) continue;  // a name that is not known: whose value changes, nobody can say
      hide(name);
      if (equals != std::string::npos) {
        assign_text(name, word.text.slice(equals + 1, text.size()));
        attributes(name);
      } else if (names_only) {
        if (find(name)) change(name).exported = false, exported_ = nullptr;
      } else if (keyword == "export" || keyword == "readonly") {
        if (exported) state_.exports.insert(name);
        if (find(name)) attributes(name);
      } else {
        Variable variable;
        variable.kind = table ? Variable::Kind::Associative : array ? Variable::Kind::Indexed : Variable::Kind::Scalar;
        variable.set = table || array;
        variable.exported = exported;
        variable.integer = integer;
        if (keyword == "local" || !find(name))
          state_.variables[name] = std::make_shared<const Variable>(std::move(variable));
        else
          attributes(name);
        exported_ = nullptr;
      }
    }
  }
}

void Evaluator::unset(const std::vector<Word>& argv) {
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string& text = argv[i].text.flat();
    if (text == "-f") return;
    if (text.starts_with('-')) continue;
    scan::Assignment found;
    if (scan::is_name(text)) {
      Variable variable;
      variable.set = false;
      state_.variables[text] = std::make_shared<const Variable>(std::move(variable));
      exported_ = nullptr;
    } else if (scan::assignment(text + "=", {0, text.size() + 1}, found) && found.indexed && find(text.substr(0, found.name.end))) {
      Variable& variable = change(text.substr(0, found.name.end));
      const std::string key = text.substr(found.index.begin, found.index.end - found.index.begin);
      if (variable.kind == Variable::Kind::Associative) {
        variable.table.erase(key);
      } else if (const Number n = number(Text::given(key, argv[i].place)); n.value) {
        variable.items.erase(*n.value);
      }
    }
  }
}

void Evaluator::set_arguments(const std::vector<Word>& argv, std::size_t first) {
  Elements arguments;
  for (std::size_t i = first; i < argv.size(); ++i) arguments.push_back({argv[i].text, argv[i].count, argv[i].pattern, {}});
  state_.arguments = std::move(arguments);
}

void Evaluator::set_options(const std::vector<Word>& argv) {
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string& text = argv[i].text.flat();
    if (text == "--") return set_arguments(argv, i + 1);
    if (!text.starts_with('-') && !text.starts_with('+')) return set_arguments(argv, i);
    if (text.find('a', 1) != std::string::npos && text.size() < 8) state_.all_exported = text[0] == '-';
    if (text.ends_with('o')) ++i;  // -o pipefail
  }
}

void Evaluator::shift(const std::vector<Word>& argv) {
  i64 count = 1;
  if (argv.size() > 1) {
    const Number n = number(argv[1].text, true);
    if (!n.value) {
      state_.arguments = {{Text::unknown(n.because ? *n.because : Hole{}), Count::Any, false, {}}};
      return;
    }
    count = *n.value;
  }
  for (; count > 0 && !state_.arguments.empty(); --count) {
    if (state_.arguments.front().count == Count::Any) return;  // there may be more of them, or none
    state_.arguments.erase(state_.arguments.begin());
  }
}

void Evaluator::read_input(const Command& command) {
  const std::vector<Word>& argv = command.argv;
  const bool list = argv.front().text.flat() != "read";
  bool any = false;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string& text = argv[i].text.flat();
    if (text.starts_with('-')) {
      static constexpr std::string_view kWithValue = "dinNptuCcOs";
      if (text == "-a") any = true;
      const bool takes = text.size() == 2 && text != "-s" && kWithValue.find(text[1]) != std::string_view::npos;
      const bool ends_with_value = text.size() > 2 && !list && (text.back() == 'p' || text.back() == 'd');
      if (takes || ends_with_value) ++i;
      if (text == "-a" || (text.size() > 2 && text.back() == 'a')) any = true;
      continue;
    }
    if (!scan::is_name(text)) continue;
    if (list || any) {
      assign_list(text,
                  {{hole(Why::Substitution, "what " + argv.front().text.flat() + " reads decides", command.place, "", true),
                    Count::Any,
                    false,
                    {}}},
                  false);
    } else {
      assign_text(text, hole(Why::Substitution, "what is read into " + text + " decides", command.place));
    }
  }
}

void Evaluator::change_folder(const std::vector<Word>& argv) {
  std::size_t at = 1;
  while (at < argv.size() && argv[at].text.flat().size() > 1 && argv[at].text.flat().starts_with('-')) ++at;
  const std::optional<std::string> to = known_word(argv, at), from = state_.folder.str();
  const bool elsewhere = argv.front().text.flat() == "popd";
  if (at >= argv.size() || elsewhere) {
    state_.folder = hole(Why::Other, "the folder is another one", argv.front().place);
  } else if (!to) {
    state_.folder = argv[at].text.hole() ? Text::unknown(*argv[at].text.hole()) : Text();
  } else if (*to == "-") {
    state_.folder = hole(Why::Other, "the folder before decides", argv[at].place);
  } else if (to->starts_with('/') || from) {
    const std::string folder = shardlint::join(from.value_or(""), *to);
    state_.folder = folder == "." ? Text() : Text::given(folder, argv[at].place).unless(argv[at].text.by_default());
  }
}

const Text* Evaluator::input_of(const Command& command) const {
  for (auto r = command.redirections.rbegin(); r != command.redirections.rend(); ++r) {
    if (r->op == "<<" || r->op == "<<-" || r->op == "<<<") return &r->text;
    if (r->op == "<" && state_.written && r->text.known()) {
      const auto found = state_.written->find(normal(r->text.flat()));
      return found == state_.written->end() ? nullptr : &found->second;
    }
  }
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group)
    for (const Redirection& r : *group)
      if (r.op == "|" || r.op == "<<" || r.op == "<<-" || r.op == "<<<")
        return r.text.runs().size() == 1 && !r.text.known() ? nullptr : &r.text;
  return nullptr;
}

std::optional<Text> Evaluator::output_of(const Command& command) {
  const std::vector<Word>& argv = command.argv;
  const std::optional<std::string> name = known_word(argv, 0);
  if (!name) return std::nullopt;
  const auto line = [](Text text) {
    text.append(Text::given("\n", {}));
    return std::optional(std::move(text));
  };
  if (*name == "echo") {
    std::size_t at = 1;
    bool newline = true, escapes = false;
    for (; at < argv.size(); ++at) {
      const std::string& text = argv[at].text.flat();
      if (text.size() < 2 || text[0] != '-' || text.find_first_not_of("neE", 1) != std::string::npos) break;
      for (const char flag : text) newline &= flag != 'n', escapes |= flag == 'e';
    }
    Text out;
    for (std::size_t i = at; i < argv.size(); ++i) {
      if (i > at) out.append(Text::given(" ", {}));
      out.append(argv[i].text);
    }
    if (escapes && out.flat().find('\\') != std::string::npos) return std::nullopt;
    return newline ? line(std::move(out)) : std::optional(std::move(out));
  }
  if (*name == "printf" && argv.size() > 1) {
    const std::optional<std::string> format = known_word(argv, 1);
    if (!format) return std::nullopt;
    Text out;
    std::size_t next = 2;
    bool again = true;
    while (again) {
      const std::size_t before = next;
      for (std::size_t i = 0; i < format->size(); ++i) {
        const char c = (*format)[i];
        if (c == '\\' && i + 1 < format->size()) {
          const char escaped = (*format)[++i];
          if (escaped != 'n' && escaped != 't' && escaped != '\\') return std::nullopt;
          out.append(Text::given(escaped == 'n' ? "\n" : escaped == 't' ? "\t" : "\\", argv[1].place));
        } else if (c == '%' && i + 1 < format->size()) {
          const char kind = (*format)[++i];
          if (kind == '%') {
            out.append(Text::given("%", argv[1].place));
          } else if (kind == 's' || kind == 'd') {
            if (next < argv.size()) {
              if (argv[next].count == Count::Any) return std::nullopt;
              out.append(argv[next++].text);
            } else if (kind == 'd') {
              out.append(Text::given("0", argv[1].place));
            }
          } else {
            return std::nullopt;
          }
        } else {
          out.append(argv[1].text.slice(i, i + 1));
        }
      }
      again = next < argv.size() && next > before && spend(1, out.size());
    }
    return out;
  }
  if (*name == "pwd") return line(state_.folder.empty() ? Text::given(".", argv[0].place) : state_.folder);
  if (*name == "dirname" || *name == "basename" || *name == "realpath" || *name == "readlink") {
    std::size_t at = 1;
    while (at < argv.size() && argv[at].text.flat().starts_with('-')) ++at;
    if (at >= argv.size()) return std::nullopt;
    const std::optional<std::string> path = known_word(argv, at);
    if (!path || path->empty()) return std::nullopt;
    if (*name == "realpath" || *name == "readlink") return line(argv[at].text);
    const std::size_t slash = path->find_last_of('/');
    if (*name == "dirname") {
      if (path->ends_with('/')) return std::nullopt;
      if (slash == std::string::npos) return line(Text::given(".", argv[at].place).unless(argv[at].text.by_default()));
      return line(slash == 0 ? argv[at].text.slice(0, 1) : argv[at].text.slice(0, slash));
    }
    if (path->ends_with('/')) return std::nullopt;
    Text base = slash == std::string::npos ? argv[at].text : argv[at].text.slice(slash + 1, path->size());
    if (const auto suffix = known_word(argv, at + 1); suffix && base.flat().ends_with(*suffix) && base.size() > suffix->size())
      base = base.slice(0, base.size() - suffix->size());
    return line(std::move(base));
  }
  if (*name == "cat" && (argv.size() == 1 || (argv.size() == 2 && argv[1].text.flat() == "-"))) {
    if (const Text* in = input_of(command)) return *in;
    return std::nullopt;
  }
  if (*name == "cat" && state_.written) {
    Text out;
    for (std::size_t i = 1; i < argv.size(); ++i) {
      const auto found = argv[i].text.known() ? state_.written->find(normal(argv[i].text.flat())) : state_.written->end();
      if (found == state_.written->end()) return std::nullopt;
      out.append(found->second);
    }
    return out;
  }
  if (*name == "seq" && argv.size() >= 2 && argv.size() <= 4) {
    std::vector<i64> n;
    for (std::size_t i = 1; i < argv.size(); ++i) {
      const Number value = argv[i].count == Count::One ? number(argv[i].text, true) : Number{};
      if (!value.value) return std::nullopt;
      n.push_back(*value.value);
    }
    const i64 from = n.size() == 1 ? 1 : n[0], step = n.size() == 3 ? n[1] : 1, to = n.back();
    if (step == 0) return std::nullopt;
    Text out;
    for (i64 i = from; step > 0 ? i <= to : i >= to; i += step) {
      out.append(Text::given(std::to_string(i) + "\n", argv[0].place));
      if (!spend(1) || out.size() > 100'000 || i > (i64{1} << 60) || i < -(i64{1} << 60)) return std::nullopt;
    }
    return out;
  }
  if (*name == "bc" && argv.size() == 1) {
    const Text* in = input_of(command);
    if (!in || in->flat().find_first_not_of("0123456789+-*/() \n") != std::string::npos) return std::nullopt;
    const Number n = number(*in, true);
    if (!n.value) return std::nullopt;
    return line(number_text(n, *in));
  }
  return std::nullopt;
}

void Evaluator::deliver(const std::optional<Text>& output, const std::vector<Redirection>& redirections, const std::string& whose) {
  bool elsewhere = false;
  for (const Redirection& r : redirections) {
    if (r.op == ">&" && r.text.flat() == "2" && (r.descriptor == -1 || r.descriptor == 1)) elsewhere = true;
    if (!to_output(r)) continue;
    elsewhere = true;
    write_file(r.text, output, r.op == ">>");
  }
  if (elsewhere || !capture_) return;
  if (output && spend(1, output->size())) {
    capture_->text.append(*output);
  } else if (!capture_->opaque) {
    Hole why;
    why.why = Why::Substitution;
    why.because = "the output of " + (whose.empty() ? std::string("a command") : whose) + " decides";
    capture_->opaque = std::make_shared<const Hole>(std::move(why));
  }
}

void Evaluator::write_file(const Text& path, const std::optional<Text>& text, bool append) {
  const std::optional<std::string> name = path.str(), folder = state_.folder.str();
  if (!name || name->empty() || !folder || name->starts_with("/dev/")) return;
  auto written = std::make_shared<Written>(state_.written ? *state_.written : Written{});
  Text& slot = (*written)[shardlint::join(*folder, *name)];
  if (!append) slot = Text();
  if (text && spend(1, text->size() + slot.size()))
    slot.append(*text);
  else
    slot.append(hole(Why::File, "what is written to " + *name + " decides", path.place()));
  state_.written = std::move(written);
}

std::shared_ptr<const Environment> Evaluator::environment(const std::vector<Setting>& settings) {
  if (!exported_) {
    auto made = std::make_shared<Environment>();
    for (const auto& [name, variable] : state_.variables)
      if (variable->exported && variable->set)
        (*made)[name] = variable->kind == Variable::Kind::Scalar ? variable->text : value_of(name, {});
    exported_ = std::move(made);
  }
  if (settings.empty()) return exported_;
  auto made = std::make_shared<Environment>(*exported_);
  for (const Setting& setting : settings) (*made)[setting.name] = setting.value;
  return made;
}

void Evaluator::emit(Command command) {
  if (silent_ > 0) return;
  if (out_.commands.size() >= input_.limits.commands) {
    remark(Remark::Kind::Limit, "the script starts more commands than are read", command.place);
    ended_ = true;
    return;
  }
  command.environment = environment(command.settings);
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group)
    command.redirections.insert(command.redirections.end(), group->begin(), group->end());
  command.conditions = conditions_;
  command.defaults = defaults_;
  command.turns = turns_;
  command.functions = calls_;
  command.background = background_;
  command.pipe_index = pipe_index_;
  command.written = state_.written;
  command.folder = state_.folder;
  out_.commands.push_back(std::move(command));
}

}  // namespace shardlint::shell
