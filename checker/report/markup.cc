#include "checker/report/markup.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "checker/report/json_parts.h"

namespace shardlint {

void Markup::escaped(std::string_view text) {
  for (const char c : JsonParts::utf8(text)) switch (c) {
      case '&': out_ += "&amp;"; break;
      case '<': out_ += "&lt;"; break;
      case '>': out_ += "&gt;"; break;
      case '"': out_ += "&quot;"; break;
      default: out_ += c;
    }
}

void Markup::start(std::string_view tag, const Attributes& attributes) {
  out_ += '<';
  out_ += tag;
  for (const auto& [name, value] : attributes) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
    escaped(value);
    out_ += '"';
  }
}

Markup::Element Markup::open(std::string_view tag, const Attributes& attributes) {
  start(tag, attributes);
  out_ += ">";
  open_.emplace_back(tag);
  return Element(*this);
}

void Markup::close() {
  // Words that follow stay next to it.
  static constexpr std::string_view kInline[] = {"span", "b", "code", "a", "small", "sup", "tspan", "td", "th", "dt", "dd"};
  out_ += "</" + open_.back() + ">";
  if (std::find(std::begin(kInline), std::end(kInline), open_.back()) == std::end(kInline)) out_ += '\n';
  open_.pop_back();
}

void Markup::element(std::string_view tag, const Attributes& attributes, std::string_view text) {
  const Element element = open(tag, attributes);
  escaped(text);
}

void Markup::empty(std::string_view tag, const Attributes& attributes) {
  start(tag, attributes);
  out_ += "/>\n";
}

void Markup::text(std::string_view text) { escaped(text); }

Attributes drawn(std::string_view path, double value, Attributes more) {
  return drawn(path, std::string_view(fmt::format("{}", value)), std::move(more));
}

Attributes drawn(std::string_view path, std::string_view value, Attributes more) {
  more.emplace_back("data-path", path);
  more.emplace_back("data-value", value);
  return more;
}

std::string px(double value) {
  std::string out = fmt::format("{:.2f}", value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

}  // namespace shardlint
