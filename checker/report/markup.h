// HTML and SVG, element by element: text and attribute values are escaped, and what is opened is closed. Private to report/.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlint {

using Attribute = std::pair<std::string_view, std::string>;
using Attributes = std::vector<Attribute>;

class Markup {
 public:
  // Closes its element when it goes.
  class Element {
   public:
    explicit Element(Markup& markup) : markup_(&markup) {}
    Element(Element&& other) noexcept : markup_(std::exchange(other.markup_, nullptr)) {}
    Element(const Element&) = delete;
    ~Element() {
      if (markup_) markup_->close();
    }

   private:
    Markup* markup_;
  };

  [[nodiscard]] Element open(std::string_view tag, const Attributes& attributes = {});
  void element(std::string_view tag, const Attributes& attributes, std::string_view text);  // with text, on one line
  void element(std::string_view tag, std::string_view text) { element(tag, {}, text); }
  void empty(std::string_view tag, const Attributes& attributes);  // a shape: <rect .../>
  void text(std::string_view text);
  void raw(std::string_view markup) { out_ += markup; }

  std::string take() { return std::move(out_); }

 private:
  void start(std::string_view tag, const Attributes& attributes);
  void escaped(std::string_view text);
  void close();

  std::string out_;
  std::vector<std::string> open_;
};

// The attributes of something that shows a number: `path` is where `plan --format json` has it, below its plan.
Attributes drawn(std::string_view path, double value, Attributes more = {});
Attributes drawn(std::string_view path, std::string_view value, Attributes more = {});

// A coordinate: as few digits as a picture needs.
std::string px(double value);

}  // namespace shardlint
