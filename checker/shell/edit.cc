#include "checker/shell/edit.h"

#include <algorithm>

#include "checker/shell/code.h"

namespace shardlint::shell {
namespace {

using Offset = std::uint32_t;
using Edits = std::optional<std::vector<Edit>>;

bool safe(char c) { return scan::name_char(c) || std::string_view("-+./:=,@%").find(c) != std::string_view::npos; }
bool all_safe(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), safe); }
bool quote(char c) { return c == '"' || c == '\''; }

char at(const Source& source, Offset offset) { return offset < source.text().size() ? source.text()[offset] : '\n'; }
char before(const Source& source, Offset offset) { return offset == 0 ? '\n' : source.text()[offset - 1]; }
bool edge(char c) { return scan::space(c) || c == '(' || c == ')' || c == ';' || quote(c) || c == '`'; }

// Where a word stands as a token of its own: with its quotes, between blanks, or between a blank and the quote of the text it is part of.
std::optional<Place> token(const Word& word) {
  if (word.token) return word.token;
  const std::optional<Place> literal = word.text.literal();
  if (!literal) return std::nullopt;
  Place out = *literal;
  const Source& source = *out.source;
  const char left = before(source, out.range.begin), right = at(source, out.range.end);
  if (quote(left) && left == right) --out.range.begin, ++out.range.end;
  if (!edge(before(source, out.range.begin)) || !edge(at(source, out.range.end))) {
    const char next = at(source, out.range.end);
    if (next != '\\' || !edge(before(source, out.range.begin))) return std::nullopt;
  }
  return out;
}

// The edits, if the text that they make is as good a script as this one. A script inside another file's syntax is not judged.
Edits tried(std::vector<Edit> edits) {
  std::vector<SourcePtr> sources;
  for (const Edit& edit : edits)
    if (std::find(sources.begin(), sources.end(), edit.source) == sources.end()) sources.push_back(edit.source);
  for (const SourcePtr& source : sources) {
    std::vector<Edit> own;
    std::copy_if(edits.begin(), edits.end(), std::back_inserter(own), [&](const Edit& edit) { return edit.source == source; });
    const std::optional<std::string> text = apply(*source, own);
    if (!text) return std::nullopt;
    if (!parse(Text::of(source), source->path())->unreadable.empty()) continue;
    const auto made = std::make_shared<const Source>(source->path(), *text);
    if (!parse(Text::of(made), source->path())->unreadable.empty()) return std::nullopt;
  }
  return edits;
}

// The blanks and continued lines before a token, and the whole line if nothing else stands there.
Range with_blanks(const Source& source, Range range) {
  const std::string_view s = source.text();
  Offset begin = range.begin;
  while (begin > 0 && scan::blank(s[begin - 1])) --begin;
  const bool first_of_line = begin == 0 || s[begin - 1] == '\n';
  if (!first_of_line && s[begin - 1] != '(' && !quote(s[begin - 1])) return {begin, range.end};
  Offset end = range.end;
  while (end < s.size() && scan::blank(s[end])) ++end;
  if (first_of_line && end < s.size() && s[end] == '\\' && end + 1 < s.size() && s[end + 1] == '\n')
    return {begin, end + 2};  // nothing else on its line
  if (first_of_line && end < s.size() && s[end] == '\n') {
    // The last line of a continued command: the backslash before it goes instead. In an array the line goes.
    Offset previous = begin;
    if (previous >= 2 && s[previous - 2] == '\\') {
      previous -= 2;
      while (previous > 0 && scan::blank(s[previous - 1])) --previous;
      return {previous, range.end};
    }
    return {begin, end + 1};
  }
  Offset rest = range.end;
  while (rest < s.size() && scan::blank(s[rest])) ++rest;
  return {range.begin, rest};
}

class FlagSpot : public Spot {
 public:
  explicit FlagSpot(Flag flag) : flag_(std::move(flag)) {}

  std::optional<std::vector<Edit>> write(const Value& to) const override {
    if (flag_.value.empty()) {
      if (!to.boolean()) return std::nullopt;
      return *to.boolean() ? std::nullopt : remove();
    }
    if (to.is_null() || to.map()) return std::nullopt;
    if (const ValueList* list = to.list(); list && list->size() != 1) return std::nullopt;
    const Value& one = to.list() ? to.list()->front() : to;
    std::string text = to_string(one);
    // A boolean is spelled as it was: true, True, TRUE, 1.
    if (const bool* yes = one.boolean()) {
      const std::string& written = flag_.value.flat();
      if (written == "0" || written == "1") text = *yes ? "1" : "0";
      if (written == "True" || written == "False") text = *yes ? "True" : "False";
    }
    return write_text(flag_.value, text);
  }
  std::optional<std::vector<Edit>> remove() const override { return remove_words(*flag_.command, flag_.first, flag_.count); }
  std::optional<std::vector<Edit>> rename(std::string_view spelled) const override {
    const Text& text = flag_.command->argv[flag_.first].text;
    return write_text(text.slice(0, text.flat().find('=')), spelled);
  }
  std::optional<std::vector<Edit>> add(std::string_view path, const Value& value) const override {
    const std::size_t dashes = path.find("--");
    if (dashes == std::string_view::npos || value.is_null() || value.map() || value.list()) return std::nullopt;
    std::vector<std::string> words{std::string(path.substr(dashes))};
    if (value.boolean()) {
      if (!*value.boolean()) return std::nullopt;
    } else {
      words.push_back(to_string(value));
    }
    return insert_words(*flag_.command, flag_.first + flag_.count - 1, words);
  }

 private:
  Flag flag_;
};

}  // namespace

std::optional<std::vector<Edit>> write_text(const Text& part, std::string_view to) {
  const std::optional<Place> place = part.literal();
  if (!place) return std::nullopt;
  const Source& source = *place->source;
  if (!all_safe(to)) {
    // Only between quotes of its own, and only what they protect.
    const char left = before(source, place->range.begin), right = at(source, place->range.end);
    if (left != right || !quote(left)) return std::nullopt;
    const std::string_view special = left == '"' ? "\"$`\\!\n" : "'\n";
    if (to.find_first_of(special) != std::string_view::npos) return std::nullopt;
  }
  return tried({{place->source, place->range, std::string(to)}});
}

std::optional<std::vector<Edit>> insert_words(const Command& command, std::size_t at_word, const std::vector<std::string>& words) {
  if (at_word >= command.argv.size() || words.empty()) return std::nullopt;
  if (!std::all_of(words.begin(), words.end(), [](const std::string& word) { return all_safe(word); })) return std::nullopt;
  std::optional<Place> place = token(command.argv[at_word]);
  if (!place && at_word + 1 < command.argv.size()) {
    // In front of the next word, if that is a token.
    place = token(command.argv[at_word + 1]);
    if (!place) return std::nullopt;
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return tried({{place->source, {place->range.begin, place->range.begin}, text}});
  }
  if (!place) {  // the last word, as the command has it
    const Place& written = command.argv[at_word].place;
    if (!written || !command.place.range.contains(written.range) || command.place.source != written.source) return std::nullopt;
    place = written;
  }
  std::string text;
  for (const std::string& word : words) text += " " + word;
  return tried({{place->source, {place->range.end, place->range.end}, text}});
}

std::optional<std::vector<Edit>> insert_before(const Command& command, std::string_view line) {
  if (!command.place || line.find('\n') != std::string_view::npos) return std::nullopt;
  const SourcePtr& source = command.place.source;
  // Inside another file's syntax a line may be something else than a line.
  if (!parse(Text::of(source), source->path())->unreadable.empty()) return std::nullopt;
  const std::string_view text = source->text();
  Offset begin = command.place.range.begin;
  while (begin > 0 && scan::blank(text[begin - 1])) --begin;
  if (begin > 0 && text[begin - 1] != '\n') return std::nullopt;
  if (begin >= 2 && text[begin - 2] == '\\') return std::nullopt;
  const std::string_view indent = text.substr(begin, command.place.range.begin - begin);
  return tried({{source, {begin, begin}, std::string(indent) + std::string(line) + "\n"}});
}

std::optional<std::vector<Edit>> remove_words(const Command& command, std::size_t first, std::size_t count) {
  if (count == 0 || first == 0 || first + count > command.argv.size()) return std::nullopt;
  std::vector<Place> places;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::optional<Place> place = token(command.argv[i]);
    if (!place) return std::nullopt;
    // Side by side, only blanks between them: one piece.
    if (!places.empty() && places.back().source == place->source && places.back().range.end <= place->range.begin) {
      const std::string_view between = place->source->text({places.back().range.end, place->range.begin});
      if (scan::skip_blanks(between, 0) == between.size()) {
        places.back().range.end = place->range.end;
        continue;
      }
    }
    places.push_back(*place);
  }
  std::vector<Edit> edits;
  for (const Place& place : places) edits.push_back({place.source, with_blanks(*place.source, place.range), ""});
  return tried(std::move(edits));
}

std::optional<std::vector<Edit>> insert_line(const Comment& below, std::string_view line) {
  if (!below.place || line.find('\n') != std::string_view::npos) return std::nullopt;
  const SourcePtr& source = below.place.source;
  const auto end = static_cast<Offset>(scan::line_end(source->text(), below.place.range.end));
  return std::vector<Edit>{{source, {end, end}, "\n" + std::string(line)}};
}

void locate(Fact& fact, const Flag& flag) {
  const Word& word = flag.command->argv[flag.first];
  const std::size_t equals = flag.value.empty() ? std::string::npos : word.text.flat().find('=');
  const Text key = flag.count == 1 && equals != std::string::npos ? word.text.slice(0, equals) : word.text;
  fact.way = Way::Word;
  fact.key_place = key.literal().value_or(word.token ? word.token : word.place);
  const Word& last = flag.command->argv[flag.first + flag.count - 1];
  fact.place = flag.value.empty() ? fact.key_place : flag.value.place() ? flag.value.place() : last.place;
  if (const Hole* hole = flag.value.hole()) fact.open = hole->because.empty() ? "something decides that is not known here" : hole->because;
  if (std::vector<Step> steps = flag.value.chain(); !steps.empty())
    fact.chain = std::make_shared<const std::vector<Step>>(std::move(steps));
  fact.spot = std::make_shared<FlagSpot>(flag);
}

}  // namespace shardlint::shell
