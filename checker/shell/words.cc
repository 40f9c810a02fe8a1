// Words: quotes, braces, expansions, and the splitting into what a command receives.

#include <algorithm>

#include "checker/shell/evaluator.h"

namespace shardlint::shell {
namespace {

constexpr std::size_t kMostBraces = 4096;

Text piece(const Text& text, std::size_t begin, std::size_t end) { return text.slice(begin, end); }

bool has_pattern(const Text& text) { return text.flat().find_first_of("*?[") != std::string::npos; }

// The bytes of one escape of $'...' that begins at the backslash; moves `at` behind it.
std::string ansi_escape(const std::string& s, std::size_t& at, std::size_t end) {
  const std::size_t begin = at;
  if (++at >= end) return "\\";
  const char c = s[at++];
  constexpr std::string_view kFrom = "abeEfnrtv\\'\"?", kTo = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
  if (const std::size_t simple = kFrom.find(c); simple != std::string_view::npos) return std::string(1, kTo[simple]);
  const auto digits = [&](unsigned base, std::size_t most) {
    std::uint32_t value = 0;
    for (std::size_t n = 0; n < most && at < end; ++n, ++at) {
      const char d = s[at];
      const unsigned digit = d >= '0' && d <= '9'   ? static_cast<unsigned>(d - '0')
                             : d >= 'a' && d <= 'f' ? static_cast<unsigned>(d - 'a') + 10
                             : d >= 'A' && d <= 'F' ? static_cast<unsigned>(d - 'A') + 10
                                                    : 99;
      if (digit >= base) break;
      value = value * base + digit;
    }
    return value;
  };
  if (c >= '0' && c <= '7') {
    --at;
    return std::string(1, static_cast<char>(digits(8, 3)));
  }
  if (c == 'x') return std::string(1, static_cast<char>(digits(16, 2)));
  if (c == 'u' || c == 'U') {
    const std::uint32_t code = digits(16, c == 'u' ? 4 : 8);
    std::string out;
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xc0 | (code >> 6));
      out += static_cast<char>(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      out += static_cast<char>(0xe0 | (code >> 12));
      out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      out += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      out += static_cast<char>(0xf0 | ((code >> 18) & 7));
      out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
      out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      out += static_cast<char>(0x80 | (code & 0x3f));
    }
    return out;
  }
  return s.substr(begin, at - begin);
}

Text ansi(const Text& inside) {
  const std::string& s = inside.flat();
  Text out;
  std::size_t at = 0;
  while (at < s.size()) {
    const std::size_t escape = std::min(s.find('\\', at), s.size());
    out.append(piece(inside, at, escape));
    at = escape;
    if (at >= s.size()) break;
    const std::size_t from = at;
    std::string made = ansi_escape(s, at, s.size());
    out.append(Text::given(std::move(made), piece(inside, from, at).place()));
  }
  return out;
}

}  // namespace

std::vector<Word> Evaluator::words(const Code& code, const std::vector<scan::Span>& spans) {
  std::vector<Word> out;
  for (const scan::Span span : spans) {
    const Text written = code.at(span);
    const std::string& bytes = written.flat();
    const bool quoted = bytes.find_first_of("'\"\\") != std::string::npos;
    if (quoted || bytes.find_first_of("$`{~*?[<>\x1a") != std::string::npos) {
      std::vector<Word> made = expand(written);
      for (Word& word : made) {
        word.place = written.place();
        if (made.size() == 1 && !word.token && written.literal()) word.token = word.place;
        word.quoted = quoted;
        out.push_back(std::move(word));
      }
    } else {
      Word word;
      word.text = written;
      word.place = written.place();
      if (written.literal()) word.token = word.place;
      out.push_back(std::move(word));
    }
    if (!spend(1)) break;
  }
  return out;
}

std::vector<Word> Evaluator::expand(const Text& word) {
  std::vector<Word> out;
  for (const Text& text : braces(word)) {
    std::vector<Word> more = fields(parts(text, Quoting::Bare));
    std::move(more.begin(), more.end(), std::back_inserter(out));
    if (!spend(1)) break;
  }
  return out;
}

std::vector<Text> Evaluator::braces(const Text& word) {
  const std::string& s = word.flat();
  std::vector<Text> out;
  if (s.find('{') == std::string::npos || depth_ > input_.limits.depth) return {word};
  for (std::size_t open = 0; open < s.size();) {
    if (s[open] != '{') {
      open = scan::construct_end(s, open);
      continue;
    }
    std::vector<std::size_t> commas;
    std::size_t at = open + 1, close = std::string::npos;
    for (int level = 1; at < s.size();) {
      if (s[at] == '{') {
        ++level, ++at;
      } else if (s[at] == '}') {
        if (--level == 0) {
          close = at;
          break;
        }
        ++at;
      } else {
        if (s[at] == ',' && level == 1) commas.push_back(at);
        at = scan::construct_end(s, at);
      }
    }
    if (close == std::string::npos) break;
    std::vector<Text> inside;
    if (!commas.empty()) {
      std::size_t from = open + 1;
      commas.push_back(close);
      for (const std::size_t comma : commas) {
        const Deeper deeper(*this);
        for (Text& text : braces(piece(word, from, comma))) inside.push_back(std::move(text));
        from = comma + 1;
      }
    } else {
      const std::string body = s.substr(open + 1, close - open - 1);
      const std::size_t dots = body.find("..");
      if (dots != std::string::npos) {
        std::string first = body.substr(0, dots), last = body.substr(dots + 2), by;
        if (const std::size_t more = last.find(".."); more != std::string::npos) by = last.substr(more + 2), last.resize(more);
        const auto whole = [](const std::string& text) -> std::optional<i64> {
          std::size_t i = text.starts_with('-') ? 1 : 0;
          if (i == text.size() || text.size() > 10) return std::nullopt;
          for (std::size_t d = i; d < text.size(); ++d)
            if (!scan::digit(text[d])) return std::nullopt;
          return std::stoll(text);
        };
        const Place place = piece(word, open, close + 1).place();
        std::optional<i64> from = whole(first), to = whole(last), step = by.empty() ? std::optional<i64>(1) : whole(by);
        const bool letters = first.size() == 1 && last.size() == 1 && scan::name_start(first[0]) && scan::name_start(last[0]);
        if (letters) from = first[0], to = last[0];
        if (from && to && step) {
          const i64 stride = std::max<i64>(1, *step < 0 ? -*step : *step) * (*from <= *to ? 1 : -1);
          std::size_t width = 0;
          if (!letters && ((first.size() > 1 && first[first[0] == '-'] == '0') || (last.size() > 1 && last[last[0] == '-'] == '0')))
            width = std::max(first.size(), last.size());
          for (i64 n = *from; stride > 0 ? n <= *to : n >= *to; n += stride) {
            std::string text = letters ? std::string(1, static_cast<char>(n)) : std::to_string(n);
            if (text.size() < width) text.insert(n < 0 ? 1 : 0, width - text.size(), '0');
            inside.push_back(Text::given(std::move(text), place));
            if (inside.size() > kMostBraces || !spend(1)) break;
          }
        }
      }
    }
    if (inside.empty()) {  // no brace expansion; what is inside may hold one
      ++open;
      continue;
    }
    std::vector<Text> behind;
    {
      const Deeper deeper(*this);
      behind = braces(piece(word, close + 1, s.size()));
    }
    if (inside.size() * behind.size() > kMostBraces) return {hole(Why::Other, "too many words from braces", word.place(), "", true)};
    for (const Text& middle : inside)
      for (const Text& tail : behind) {
        Text whole = piece(word, 0, open);
        whole.append(middle);
        whole.append(tail);
        if (!spend(1, whole.size())) return {word};
        out.push_back(std::move(whole));
      }
    return out;
  }
  return {word};
}

void Evaluator::put(Parts& out, Text text, Quoting quoting) {
  Part part;
  if (!spend(1, weight(text))) text = hole(Why::Other, "the script makes more text than is read", text.place());
  const Hole* unknown = text.hole();
  part.count = unknown && unknown->many ? Word::Count::Any : unknown && quoting == Quoting::Bare ? Word::Count::Some : Word::Count::One;
  part.text = std::move(text);
  part.split = quoting == Quoting::Bare;
  part.quoted = !part.split;
  out.push_back(std::move(part));
}

void Evaluator::list_parts(const Elements& elements, bool star, Quoting quoting, Parts& out) {
  const bool as_one = quoting == Quoting::Value || quoting == Quoting::Here || (star && quoting == Quoting::Double);
  if (as_one) {
    Text all;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) all.append(Text::given(" ", {}));
      all.append(elements[i].text);
      if (!spend(1, elements[i].text.size())) break;
    }
    put(out, std::move(all), quoting);
    return;
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) {
      Part cut;
      cut.cut = true;
      out.push_back(cut);
    }
    put(out, elements[i].text, quoting);
    out.back().count = std::max(out.back().count, elements[i].count);
    out.back().token = elements[i].token;
  }
}

Parts Evaluator::parts(const Text& text, Quoting quoting) {
  const std::string& s = text.flat();
  Parts out;
  const bool quoted = quoting == Quoting::Double || quoting == Quoting::Here;
  std::size_t at = 0, plain = 0;
  const Deeper deeper(*this);
  if (too_deep(text.place())) {
    put(out, hole(Why::Other, "expansions are nested too deeply", text.place()), quoting);
    return out;
  }
  const auto literal = [&](Text piece_text, bool in_quotes) {
    Part part;
    part.text = std::move(piece_text);
    part.quoted = in_quotes;
    out.push_back(std::move(part));
  };
  const auto flush = [&] {
    if (plain < at) literal(piece(text, plain, at), quoted);
  };
  while (at < s.size()) {
    const char c = s[at];
    const char next = at + 1 < s.size() ? s[at + 1] : '\0';
    if (c == '\\') {
      const bool escapes =
          !quoted || next == '$' || next == '`' || next == '\\' || next == '\n' || (next == '"' && quoting == Quoting::Double);
      if (!escapes || at + 1 >= s.size()) {
        at += quoted && at + 1 < s.size() ? 2 : 1;
        at = std::min(at, s.size());
        continue;
      }
      flush();
      if (next != '\n') literal(piece(text, at + 1, at + 2), true);
      at += 2;
      plain = at;
    } else if (c == '$' && next == '\'' && !quoted) {
      flush();
      const std::size_t end = scan::construct_end(s, at);
      literal(ansi(piece(text, at + 2, std::max(at + 2, end - 1))), true);
      plain = at = end;
    } else if (c == '\'' && !quoted) {
      flush();
      const std::size_t end = scan::construct_end(s, at);
      literal(piece(text, at + 1, std::max(at + 1, end - 1)), true);
      plain = at = end;
    } else if ((c == '"' && quoting != Quoting::Here) || (c == '$' && next == '"' && !quoted)) {
      flush();
      if (quoted) {  // inside ${x:-"..."} within quotes: it only goes away
        plain = ++at;
        continue;
      }
      const std::size_t begin = at + (c == '$' ? 2 : 1), end = scan::construct_end(s, at);
      const std::size_t close = end > begin && s[end - 1] == '"' ? end - 1 : end;
      if (begin >= close) literal(Text(), true);
      Parts inside = parts(piece(text, begin, close), Quoting::Double);
      std::move(inside.begin(), inside.end(), std::back_inserter(out));
      plain = at = end;
    } else if (c == '$') {
      flush();
      const std::size_t end = dollar(text, at, quoting, out);
      plain = end == at ? at : end;
      at = end == at ? at + 1 : end;
    } else if (c == '`') {
      flush();
      const std::size_t end = scan::construct_end(s, at);
      Text inside;
      for (std::size_t i = at + 1; i + 1 < end; ++i) {  // one level of backslashes goes
        if (s[i] == '\\' && i + 2 < end && (s[i + 1] == '`' || s[i + 1] == '\\' || s[i + 1] == '$')) ++i;
        inside.append(piece(text, i, i + 1));
      }
      put(out, substitution(inside, piece(text, at, end)), quoting);
      plain = at = end;
    } else if ((c == '<' || c == '>') && next == '(' && quoting == Quoting::Bare) {
      flush();
      const std::size_t end = scan::bracket_end(s, at + 1);
      const Text written = piece(text, at, end);
      put(out, hole(Why::Substitution, "a process gives it: " + written.shown(), written.place()), Quoting::Double);
      plain = at = end;
    } else if (c == '~' && !quoted && (at == 0 || (quoting == Quoting::Value && s[at - 1] == ':'))) {
      flush();
      std::size_t end = at + 1;
      while (end < s.size() && (scan::name_char(s[end]) || s[end] == '-' || s[end] == '.')) ++end;
      const Place place = piece(text, at, end).place();
      put(out, end == at + 1 ? value_of("HOME", place) : hole(Why::Environment, "a home folder decides", place), Quoting::Double);
      plain = at = end;
    } else if (text.is_hole(at) && !quoted) {
      flush();
      put(out, piece(text, at, at + 1), quoting);
      plain = ++at;
    } else {
      ++at;
    }
  }
  flush();
  return out;
}

std::size_t Evaluator::dollar(const Text& text, std::size_t at, Quoting quoting, Parts& out) {
  const std::string& s = text.flat();
  const char next = at + 1 < s.size() ? s[at + 1] : '\0';
  const std::size_t end = scan::construct_end(s, at);
  const Text written = piece(text, at, end);
  if (next == '{') {
    parameter(written, quoting, out);
  } else if (next == '(') {
    const bool arithmetic =
        end >= at + 5 && s[at + 2] == '(' && s[end - 1] == ')' && s[end - 2] == ')' && scan::bracket_end(s, at + 2) == end - 1;
    if (arithmetic)
      put(out, number_text(number(piece(text, at + 3, end - 2)), written), quoting);
    else
      put(out, substitution(piece(text, at + 2, s[end - 1] == ')' ? end - 1 : end), written), quoting);
  } else if (next == '[') {
    put(out, number_text(number(piece(text, at + 2, end - 1)), written), quoting);
  } else if (end > at + 1) {
    plain_parameter(std::string_view(s).substr(at + 1, end - at - 1), written, quoting, out);
  } else {
    return at;
  }
  return end;
}

std::vector<Word> Evaluator::fields(const Parts& all) {
  std::vector<Word> out;
  Word word;
  bool has = false;
  const auto end = [&] {
    if (has) out.push_back(std::move(word));
    word = {};
    has = false;
  };
  const VariablePtr ifs = find("IFS");
  const bool usual = !ifs || !ifs->set || ifs->text.str() == " \t\n";
  for (const Part& part : all) {
    if (part.cut) {
      end();
      continue;
    }
    if (!part.split) {
      if (part.quoted || !part.text.empty()) has = true;
      if (!part.quoted && has_pattern(part.text)) word.pattern = true;
      word.quoted |= part.quoted;
      word.count = std::max(word.count, part.count);
      if (word.text.empty()) word.token = part.token;
      word.text.append(part.text);
      continue;
    }
    const std::string& s = part.text.flat();
    if (!usual) {
      const std::optional<std::string> by = ifs->text.str();
      if (s.empty()) continue;
      has = true;
      if (by && s.find_first_of(*by) == std::string::npos) {
        word.text.append(part.text);
        word.count = std::max(word.count, part.count);
      } else {
        word.text.append(hole(Why::Other, "IFS is changed, so how this splits is not followed", part.text.place(), "", true));
        word.count = Word::Count::Any;
      }
      continue;
    }
    std::size_t at = 0;
    while (at < s.size()) {
      if (scan::space(s[at])) {
        end();
        ++at;
        continue;
      }
      std::size_t stop = at;
      while (stop < s.size() && !scan::space(s[stop])) ++stop;
      Text field = piece(part.text, at, stop);
      has = true;
      if (at == 0 && stop == s.size() && word.text.empty()) word.token = part.token;
      if (has_pattern(field)) word.pattern = true;
      if (const Hole* unknown = field.hole()) word.count = std::max(word.count, unknown->many ? Word::Count::Any : Word::Count::Some);
      word.text.append(field);
      at = stop;
      if (!spend(1)) return out;
    }
    word.count = std::max(word.count, s.empty() && part.count == Word::Count::Any ? Word::Count::Any : Word::Count::One);
  }
  end();
  return out;
}

Text Evaluator::joined(const Parts& all, std::string_view between) {
  Text out;
  for (const Part& part : all) {
    if (part.cut)
      out.append(Text::given(std::string(between), {}));
    else
      out.append(part.text);
    if (!spend(1, weight(part.text)) || out.size() > input_.limits.text)
      return hole(Why::Other, "the text grows beyond what is read", out.place());
  }
  return out;
}

Text Evaluator::substitution(const Text& inside, const Text& written) {
  const Deeper deeper(*this);
  const Place place = written.place();
  if (too_deep(place) || !spend(20, inside.size())) return hole(Why::Other, "commands are nested too deeply", place);
  const std::size_t first = scan::skip_blanks(inside.flat(), 0);
  if (first < inside.size() && inside.flat()[first] == '<' && inside.flat().compare(first, 2, "<<") != 0) {  // $(< file)
    const Text path = value(inside.slice(scan::skip_blanks(inside.flat(), first + 1), inside.size()), Quoting::Bare);
    if (const auto name = path.str(); name && state_.written)
      if (const auto file = state_.written->find(normal(*name)); file != state_.written->end()) return file->second;
    return hole(Why::File, "the content of " + path.shown() + " decides", place);
  }
  Capture capture;
  Capture* const outer = std::exchange(capture_, &capture);
  const int pipe = std::exchange(pipe_index_, -1);
  const State before = state_;
  ++silent_;
  frames_.push_back({Frame::Kind::Script, {}, false, {}});
  const std::size_t codes = codes_.size();
  const CodePtr code = parse(inside, codes_.empty() ? input_.path : codes_.front()->path);
  codes_.push_back(code);
  sequence(*code, code->root);
  frames_.pop_back();
  --silent_;
  const Truth status = state_.status;
  state_ = before;
  state_.status = status;
  exported_ = nullptr;
  codes_.resize(codes);  // its functions are gone with it
  pipe_index_ = pipe;
  capture_ = outer;
  if (!code->unreadable.empty()) return hole(Why::Unreadable, "the command in " + written.shown() + " cannot be read", place);
  if (capture.opaque) return hole(Why::Substitution, "the output of " + written.shown() + " decides", place);
  const std::string& s = capture.text.flat();
  std::size_t end = s.size();
  while (end > 0 && s[end - 1] == '\n') --end;
  return capture.text.slice(0, end);
}

}  // namespace shardlint::shell
