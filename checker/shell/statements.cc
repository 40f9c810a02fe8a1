// Statements: in a row, piped, chosen, repeated. What is not certain is read every way it may go.

#include <algorithm>

#include "checker/shell/evaluator.h"

namespace shardlint::shell {
namespace {

using Kind = Statement::Kind;

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

}  // namespace

Flow Evaluator::sequence(const Code& code, const Statement& statement_list) {
  std::size_t done = 0;
  for (const Statement& child : statement_list.children) {
    if (child.span.begin < done) continue;  // the command before it went over this one
    scanned_ = 0;
    const Flow flow = statement(code, child);
    done = std::max(child.span.end, child.kind == Kind::Simple ? scanned_ : 0);
    if (flow != Flow::Next) return flow;
    if (ended_) return Flow::Exit;
  }
  return Flow::Next;
}

Flow Evaluator::statement(const Code& code, const Statement& s) {
  if (!spend(1)) return Flow::Exit;
  const Deeper deeper(*this);
  const Place place = code.at(s.span).place();
  if (too_deep(place)) return Flow::Next;
  if (s.background && !background_) {
    background_ = true;
    const Flow flow = s.kind == Kind::Simple ? statement(code, s) : subshell(code, s);
    background_ = false;
    state_.status = Truth::yes();
    return flow == Flow::Exit && !ended_ ? Flow::Next : flow;
  }
  switch (s.kind) {
    case Kind::Sequence: return sequence(code, s);
    case Kind::Simple: return simple(code, s.span.begin);
    case Kind::List: return list(code, s);
    case Kind::Pipeline: return pipeline(code, s);
    case Kind::Subshell: return subshell(code, s);
    case Kind::Group: return sequence(code, s);
    case Kind::Redirected: return redirected(code, s);
    case Kind::Not: {
      const Flow flow = sequence(code, s);
      state_.status = !state_.status;
      return flow;
    }
    case Kind::Test: state_.status = test(code, s.words.front()); return Flow::Next;
    case Kind::Arithmetic: state_.status = truth_of(number(code.at(s.words.front()))); return Flow::Next;
    case Kind::If: return if_from(code, s, 0);
    case Kind::Case: return case_of(code, s);
    case Kind::For: return for_words(code, s);
    case Kind::Count: return counting(code, s);
    case Kind::While: return loop(code, s);
    case Kind::Function:
      if (!s.children.empty())
        state_.functions[std::string(code.bytes().substr(s.name.begin, s.name.end - s.name.begin))] = {&code, &s.children.back()};
      return Flow::Next;
    case Kind::Other: remark(Remark::Kind::Limit, "this is not followed", place); return Flow::Next;
  }
  return Flow::Next;
}

Flow Evaluator::list(const Code& code, const Statement& s) {
  for (std::size_t i = 0; i < s.children.size(); ++i) {
    const Statement& child = s.children[i];
    if (child.span.begin < scanned_ && i > 0 && child.kind == Kind::Simple) continue;
    const auto run = [&] { return statement(code, child); };
    Flow flow = Flow::Next;
    if (i == 0) {
      flow = run();
    } else {
      Truth before = state_.status;
      const bool or_else = s.or_else[i];
      if (before.is == Truth::Is::Maybe && before.presumed && !or_else) {
        flow = run();
      } else {
        const auto skip = [&, before] {
          state_.status = before.is == Truth::Is::Maybe ? Truth::of(or_else) : before;
          return Flow::Next;
        };
        const scan::Span decision{s.span.begin, s.children[i - 1].span.end};
        flow = or_else ? decide(code, decision, before, skip, run) : decide(code, decision, before, run, skip);
      }
    }
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Flow Evaluator::pipeline(const Code& code, const Statement& s) {
  Capture* const outer = capture_;
  const int outer_index = pipe_index_;
  const std::size_t groups = groups_.size();
  for (std::size_t i = 0; i < s.children.size(); ++i) {
    const bool last = i + 1 == s.children.size();
    const State before = state_;
    Capture own;
    capture_ = last ? outer : &own;
    pipe_index_ = static_cast<int>(i);
    frames_.push_back({Frame::Kind::Script, {}, false, {}});
    statement(code, s.children[i]);
    frames_.pop_back();
    groups_.resize(groups);
    const Truth status = state_.status;
    const std::shared_ptr<const Written> written = state_.written;
    state_ = before;
    state_.status = status.is == Truth::Is::Maybe ? status : Truth::command();
    state_.written = written;
    exported_ = nullptr;
    if (!last) {
      Redirection fed;
      fed.op = "|";
      fed.place = code.at(s.children[i].span).place();
      fed.text = own.opaque ? Text::unknown(*own.opaque) : own.text;
      groups_.push_back({fed});
    }
  }
  groups_.resize(groups);
  capture_ = outer;
  pipe_index_ = outer_index;
  return ended_ ? Flow::Exit : Flow::Next;
}

Flow Evaluator::subshell(const Code& code, const Statement& s) {
  const State before = state_;
  const std::size_t conditions = conditions_.size();
  frames_.push_back({Frame::Kind::Script, {}, false, {}});
  if (s.kind == Kind::Subshell)
    sequence(code, s);
  else
    statement(code, s);
  frames_.pop_back();
  conditions_.resize(conditions);
  const Truth status = state_.status;
  const std::shared_ptr<const Written> written = state_.written;
  state_ = before;
  state_.status = status;
  state_.written = written;
  exported_ = nullptr;
  return ended_ ? Flow::Exit : Flow::Next;
}

Flow Evaluator::redirected(const Code& code, const Statement& s) {
  const Statement& body = s.children.front();
  const std::vector<Redirection> own = redirections(code, scan::simple(code.bytes(), body.span.end, code.bytes().size()).redirects);
  const bool to_file = std::any_of(own.begin(), own.end(), [](const Redirection& r) {
    return (r.op == ">" || r.op == ">>" || r.op == ">|" || r.op == "&>") && (r.descriptor == -1 || r.descriptor == 1);
  });
  groups_.push_back(own);
  Capture capture;
  Capture* const outer = capture_;
  if (to_file) capture_ = &capture;
  const Flow flow = statement(code, body);
  capture_ = outer;
  groups_.pop_back();
  if (to_file) deliver(capture.opaque ? std::nullopt : std::optional(capture.text), own, "");
  return flow;
}

// ---- deciding

void Evaluator::leave(Flow flow) {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const bool fits = flow == Flow::Return ? frame->kind == Frame::Kind::Function : frame->kind == Frame::Kind::Loop;
    if (!fits && frame->kind != Frame::Kind::Script) continue;
    if (frame->left.size() < 64) frame->left.push_back(state_);
    if (flow != Flow::Continue) frame->broken = true;
    return;
  }
}

Flow Evaluator::branch(const std::vector<Way>& ways, const Hole& why, const std::string& fork) {
  const State before = state_;
  const std::size_t conditions = conditions_.size();
  const std::size_t captured = capture_ ? capture_->text.size() : 0;
  std::optional<State> joined_state;
  std::vector<std::pair<Flow, State>> escaped;
  std::optional<Condition> stays;
  for (std::size_t i = 0; i < ways.size() && !ended_; ++i) {
    state_ = before;
    exported_ = nullptr;
    conditions_.push_back(ways[i].condition);
    const Flow flow = ways[i].run();
    conditions_.resize(conditions);
    if (flow == Flow::Next) {
      if (joined_state)
        join(*joined_state, state_, why);
      else
        joined_state = state_;
      if (!stays) stays = ways[i].condition;
    } else if (flow == Flow::Exit) {
      for (Fork& known : out_.forks)
        if (!fork.empty() && known.id == fork && i < known.arms.size()) known.arms[i].ends = true;
    } else {
      escaped.emplace_back(flow, state_);
    }
  }
  exported_ = nullptr;
  if (capture_ && capture_->text.size() != captured && ways.size() > 1) capture_->opaque = std::make_shared<const Hole>(why);
  if (!joined_state) {
    if (escaped.empty()) return Flow::Exit;
    for (std::size_t i = 1; i < escaped.size(); ++i) {
      state_ = escaped[i].second;
      leave(escaped[i].first);
    }
    state_ = escaped.front().second;
    return escaped.front().first;
  }
  for (auto& [flow, state] : escaped) {
    state_ = std::move(state);
    leave(flow);
  }
  state_ = std::move(*joined_state);
  if (!escaped.empty() && stays) conditions_.push_back(*stays);  // until the loop or function ends
  return Flow::Next;
}

Flow Evaluator::by_default(const std::vector<Way>& ways, std::size_t chosen, const Outside& outside, const Hole& why,
                           const std::string& fork) {
  const State before = state_;
  const std::size_t emitted = out_.commands.size(), conditions = conditions_.size();
  const std::size_t defaults = defaults_.size();
  defaults_.push_back(ways[chosen].condition);
  default_outsides_.push_back(outside);
  const Flow flow = ways[chosen].run();
  defaults_.resize(defaults);
  default_outsides_.resize(defaults);
  if (flow != Flow::Exit || ended_ || ways.size() < 2) return flow;
  for (std::size_t i = emitted; i < out_.commands.size(); ++i) {
    std::vector<Condition>& of_command = out_.commands[i].conditions;
    of_command.insert(of_command.begin() + static_cast<std::ptrdiff_t>(std::min(conditions, of_command.size())), ways[chosen].condition);
  }
  state_ = before;
  exported_ = nullptr;
  std::vector<Way> others;
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (i != chosen) others.push_back(ways[i]);
  for (Fork& known : out_.forks) {
    if (fork.empty() || known.id != fork || chosen >= known.arms.size()) continue;
    known.arms[chosen].ends = true;
    known.taken = others.size() == 1 ? static_cast<int>(chosen == 0 ? 1 : 0) : -1;
  }
  return others.size() == 1 ? others.front().run() : branch(others, why);
}

std::optional<int> Evaluator::taken(std::string& id, const Code& code, scan::Span at, std::string subject, std::vector<Arm> arms,
                                    int chosen) {
  const Place place = code.at(at).place();
  id = (place ? place.source->path() : code.path) + ":" + std::to_string(place ? place.range.begin : at.begin);
  std::optional<int> out;
  if (const auto wanted = input_.take.find(id);
      wanted != input_.take.end() && wanted->second >= 0 && static_cast<std::size_t>(wanted->second) < arms.size())
    out = wanted->second;
  if (silent_ > 0 || out_.forks.size() >= 1000) return out;
  if (std::any_of(out_.forks.begin(), out_.forks.end(), [&](const Fork& fork) { return fork.id == id; })) return out;
  Fork fork;
  fork.id = id;
  fork.subject = std::move(subject);
  fork.place = place;
  fork.arms = std::move(arms);
  fork.taken = out ? *out : chosen;
  out_.forks.push_back(std::move(fork));
  return out;
}

Flow Evaluator::decide(const Code& code, scan::Span at, const Truth& truth, const std::function<Flow()>& yes,
                       const std::function<Flow()>& no) {
  if (truth.certain()) return truth.is == Truth::Is::Yes ? yes() : no();
  const std::string test = excerpt(code, at);
  const Place place = code.at(at).place();
  const std::vector<Way> ways = {{{quoted(test) + " holds", place}, yes}, {{quoted(test) + " does not hold", place}, no}};
  Hole why;
  why.why = Why::Branch;
  why.because = "the outcome of " + quoted(test) + " decides";
  why.place = place;
  std::vector<Arm> arms(2);
  arms[0] = {"then", place, truth.setting, false};
  arms[1] = {"else", place, truth.unsetting, false};
  const int chosen = truth.is == Truth::Is::Maybe ? -1 : truth.is == Truth::Is::Yes ? 0 : 1;
  std::string id;
  if (const std::optional<int> wanted = taken(id, code, at, test, std::move(arms), chosen)) return *wanted == 0 ? yes() : no();
  if (chosen < 0) return branch(ways, why, id);
  return by_default(ways, static_cast<std::size_t>(chosen), truth.outside, why, id);
}

Flow Evaluator::if_from(const Code& code, const Statement& s, std::size_t clause) {
  const Deeper deeper(*this);  // a long chain of elif recurses
  if (too_deep(code.at(s.span).place())) return Flow::Next;
  const std::vector<Statement>& parts = s.children;
  const std::size_t at = clause * 2;
  if (at + 1 >= parts.size()) {
    if (at < parts.size()) return sequence(code, parts[at]);
    state_.status = Truth::yes();
    return Flow::Next;
  }
  state_.status = Truth::yes();
  if (const Flow flow = sequence(code, parts[at]); flow != Flow::Next) return flow;
  scan::Span condition = parts[at].span;
  if (!parts[at].children.empty()) condition = {parts[at].children.front().span.begin, parts[at].children.back().span.end};
  const Truth truth = state_.status;
  return decide(
      code, condition, truth, [&] { return sequence(code, parts[at + 1]); }, [&] { return if_from(code, s, clause + 1); });
}

Flow Evaluator::case_of(const Code& code, const Statement& s) {
  if (s.words.empty()) return Flow::Next;
  const Text subject = value(code.at(s.words.front()), Quoting::Value);
  const std::string subject_written = excerpt(code, s.words.front());
  const std::size_t count = std::min({s.children.size(), s.patterns.size(), s.ends.size()});
  std::vector<Truth> truths;
  for (std::size_t i = 0; i < count; ++i) {
    Truth fits = Truth::no();
    bool first = true;
    for (const scan::Span pattern : s.patterns[i]) {
      const Parts pattern_parts = parts(code.at(pattern), Quoting::Bare);
      std::vector<Glob> made;
      const bool known = glob(pattern_parts, made);
      Truth one = matches(subject, made, known, joined(pattern_parts));
      const auto setting = fits.setting ? fits.setting : one.setting;
      fits = first ? one : either(fits, one);
      fits.setting = setting;
      first = false;
      if (!spend(1)) return Flow::Exit;
    }
    truths.push_back(std::move(fits));
  }
  const std::function<Flow(std::size_t)> arm = [&](std::size_t i) {
    state_.status = Truth::yes();
    Flow flow = sequence(code, s.children[i]);
    while (flow == Flow::Next && s.ends[i] == ";&" && i + 1 < count) flow = sequence(code, s.children[++i]);
    if (flow == Flow::Next && s.ends[i] == ";;&") {
      for (std::size_t next = i + 1; next < count; ++next)
        if (truths[next].is == Truth::Is::Yes) return arm(next);
    }
    return flow;
  };
  const auto none = [&] {
    state_.status = Truth::yes();
    return Flow::Next;
  };

  // What may be taken: everything up to the first that is certain, and nothing at all if none is.
  std::vector<Way> ways;
  std::vector<Arm> arms;
  std::optional<std::size_t> chosen;
  bool maybe = false, closed = false;
  Outside outside;
  const HolePtr* because = nullptr;
  for (std::size_t i = 0; i < count && !closed; ++i) {
    const Truth& truth = truths[i];
    if (truth.is == Truth::Is::No && truth.certain()) continue;
    const scan::Span written =
        s.patterns[i].empty() ? s.children[i].span : scan::Span{s.patterns[i].front().begin, s.patterns[i].back().end};
    const std::string name = excerpt(code, written);
    if (truth.is == Truth::Is::Maybe) maybe = true, because = &truth.because;
    if (truth.outside) outside = truth.outside;
    if (truth.is == Truth::Is::Yes && !chosen) chosen = ways.size();
    closed = truth.is == Truth::Is::Yes && truth.certain();
    ways.push_back({{subject_written + " is " + name, code.at(written).place()}, [&arm, i] { return arm(i); }});
    arms.push_back({name, code.at(written).place(), truth.setting, false});
  }
  if (ways.empty()) return none();
  if (closed && ways.size() == 1) return ways.front().run();
  const Place place = code.at(s.words.front()).place();
  if (!closed) {
    if (!chosen) chosen = ways.size();
    ways.push_back({{subject_written + " is none of these", place}, none});
    arms.push_back({"none of these", place, std::nullopt, false});
  }
  Hole why;
  why.why = Why::Branch;
  why.because = "the value of " + subject_written + " decides";
  why.place = place;
  if (because && *because && (*because)->why != Why::Environment && (*because)->why != Why::Argument) why.because = (*because)->because;
  std::string id;
  if (const std::optional<int> wanted =
          taken(id, code, s.words.front(), subject_written, arms, maybe || !chosen ? -1 : static_cast<int>(*chosen)))
    return ways[static_cast<std::size_t>(*wanted)].run();
  if (maybe || !chosen) return branch(ways, why, id);
  return by_default(ways, *chosen, outside, why, id);
}

// ---- repeating

Flow Evaluator::vague_loop(const std::function<Flow()>& body, const Hole& why, const Condition& condition) {
  const State before = state_;
  const std::size_t conditions = conditions_.size();
  ++silent_;
  frames_.push_back({Frame::Kind::Loop, {}, false, {}});
  body();
  const bool returned_early = ended_;
  frames_.pop_back();
  --silent_;
  conditions_.resize(conditions);
  if (returned_early) return Flow::Exit;
  State widened = before;
  join(widened, state_, why);
  state_ = widened;
  conditions_.push_back(condition);
  frames_.push_back({Frame::Kind::Loop, {}, false, {}});
  body();
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  conditions_.resize(conditions);
  const State after = state_;
  state_ = std::move(widened);
  join(state_, after, why);
  for (const State& left : frame.left) join(state_, left, why);
  if (capture_) capture_->opaque = std::make_shared<const Hole>(why);
  return ended_ ? Flow::Exit : Flow::Next;
}

namespace {

// Whether a loop goes on after its body left with `flow`.
bool goes_on(Flow flow, int& levels, Flow& out) {
  if (flow == Flow::Next) return true;
  if (flow == Flow::Break || flow == Flow::Continue) {
    if (levels > 1) {
      --levels;
      out = flow;
      return false;
    }
    out = Flow::Next;
    return flow == Flow::Continue;
  }
  out = flow;
  return false;
}

}  // namespace

Flow Evaluator::for_words(const Code& code, const Statement& s) {
  const std::string name(code.bytes().substr(s.name.begin, s.name.end - s.name.begin));
  if (s.children.empty()) return Flow::Next;
  const Statement& body = s.children.back();
  std::vector<Element> list;
  if (s.all_arguments) {
    list = state_.arguments;
  } else {
    for (Word& word : words(code, s.words)) list.push_back({std::move(word.text), word.count, word.pattern, {}});
  }
  Hole why;
  why.why = Why::Loop;
  why.because = "the loop on " + line_of(code.at(s.span).place()) + " decides";
  why.place = code.at(s.name).place();
  const std::size_t conditions = conditions_.size();
  frames_.push_back({Frame::Kind::Loop, {}, false, {}});
  Flow out = Flow::Next;
  for (const Element& element : list) {
    const Hole* unknown = element.text.hole();
    const bool vague = element.count != Word::Count::One || element.pattern;
    // Arguments that nobody gives by default are no turns.
    if (element.count == Word::Count::Any && unknown && unknown->why == Why::Argument) continue;
    if (!frames_.back().broken) conditions_.resize(conditions);
    if (vague) {
      Hole one = unknown ? *unknown : why;
      if (!unknown) one.why = Why::File, one.because = "the files that match " + element.text.shown() + " decide";
      one.many = false;
      out = vague_loop(
          [&] {
            assign_text(name, Text::unknown(one));
            return sequence(code, body);
          },
          why,
          {"the loop over " + excerpt(code, s.words.empty() ? s.name : scan::Span{s.words.front().begin, s.words.back().end}) +
               " has turns",
           code.at(s.name).place()});
      if (out != Flow::Next) break;
      continue;
    }
    assign_text(name, element.text);
    turns_.push_back({name, element.text.shown(200), element.text.place()});
    const Flow flow = sequence(code, body);
    turns_.pop_back();
    if (!goes_on(flow, levels_, out) || ended_) break;
  }
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  conditions_.resize(conditions);
  for (const State& left : frame.left) join(state_, left, why);
  return ended_ ? Flow::Exit : out;
}

Flow Evaluator::counting(const Code& code, const Statement& s) {
  if (s.words.size() != 3 || s.children.empty()) return Flow::Next;
  const Statement& body = s.children.back();
  const auto run = [&](std::size_t i) { return s.words[i].empty() ? Number{1, nullptr, nullptr, {}} : number(code.at(s.words[i])); };
  run(0);
  const std::string_view bytes = code.bytes();
  const std::string name(bytes.substr(s.words[0].begin, scan::name_end(bytes, s.words[0].begin) - s.words[0].begin));
  Hole why;
  why.why = Why::Loop;
  why.because = "the loop on " + line_of(code.at(s.span).place()) + " decides";
  why.place = code.at(s.words[1]).place();
  const std::size_t conditions = conditions_.size();
  frames_.push_back({Frame::Kind::Loop, {}, false, {}});
  Flow out = Flow::Next;
  while (spend(1)) {
    if (!frames_.back().broken) conditions_.resize(conditions);
    const Number more = run(1);
    if (!more.value) {
      out = vague_loop(
          [&] {
            const Flow flow = sequence(code, body);
            run(2);
            return flow;
          },
          why, {quoted(excerpt(code, s.words[1])) + " holds", why.place});
      break;
    }
    if (*more.value == 0) break;
    if (const Text value = name.empty() ? Text() : value_of(name, {}); !value.empty())
      turns_.push_back({name, value.shown(), why.place});
    else
      turns_.push_back({"", "", why.place});
    const Flow flow = sequence(code, body);
    turns_.pop_back();
    if (!goes_on(flow, levels_, out) || ended_) break;
    run(2);
  }
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  conditions_.resize(conditions);
  for (const State& left : frame.left) join(state_, left, why);
  return ended_ ? Flow::Exit : out;
}

Flow Evaluator::loop(const Code& code, const Statement& s) {
  if (s.children.size() != 2) return Flow::Next;
  const Statement& condition = s.children[0];
  const Statement& body = s.children[1];
  scan::Span written = condition.span;
  if (!condition.children.empty()) written = {condition.children.front().span.begin, condition.children.back().span.end};
  Hole why;
  why.why = Why::Loop;
  why.because = "how often the loop on " + line_of(code.at(s.span).place()) + " runs decides";
  why.place = code.at(written).place();
  const Condition holds{quoted(excerpt(code, written)) + (s.until ? " does not hold" : " holds"), why.place};
  const std::size_t conditions = conditions_.size();
  frames_.push_back({Frame::Kind::Loop, {}, false, {}});
  Flow out = Flow::Next;
  while (spend(1)) {
    if (!frames_.back().broken) conditions_.resize(conditions);
    state_.status = Truth::yes();
    const State before = state_;
    if (const Flow flow = sequence(code, condition); flow != Flow::Next) {
      goes_on(flow, levels_, out);
      break;
    }
    const Truth truth = s.until ? !state_.status : state_.status;
    if (truth.is == Truth::Is::No) break;
    if (truth.is == Truth::Is::Maybe) {
      out = vague_loop(
          [&] {
            const Flow flow = sequence(code, body);
            if (flow == Flow::Next) {
              ++silent_;  // its condition was read before the first turn
              sequence(code, condition);
              --silent_;
            }
            return flow;
          },
          why, holds);
      break;
    }
    const Flow flow = sequence(code, body);
    if (!goes_on(flow, levels_, out) || ended_) break;
    // It would turn for ever, or until something that is not known.
    if (frames_.back().broken || (before.variables == state_.variables && before.arguments.size() == state_.arguments.size())) break;
  }
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  conditions_.resize(conditions);
  for (const State& left : frame.left) join(state_, left, why);
  return ended_ ? Flow::Exit : out;
}

}  // namespace shardlint::shell
