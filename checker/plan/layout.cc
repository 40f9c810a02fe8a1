#include "checker/plan/layout.h"

#include <cctype>
#include <charconv>

namespace shardlint {

namespace {

class LayoutReader {
 public:
  explicit LayoutReader(std::string_view text) : text_(text) {}

  std::optional<std::vector<std::string>> read() {
    std::string flat;
    if (!sequence(flat, 0) || at_ != text_.size()) return std::nullopt;
    std::vector<std::string> stages;
    for (std::size_t begin = 0;;) {
      const std::size_t bar = flat.find('|', begin);
      stages.push_back(flat.substr(begin, bar == std::string::npos ? bar : bar - begin));
      if (bar == std::string::npos) return stages;
      begin = bar + 1;
    }
  }

 private:
  static constexpr std::size_t kLimit = 100000;  // letters and bars of a layout; real ones have a few hundred

  bool sequence(std::string& out, int depth) {
    while (at_ < text_.size() && text_[at_] != ')') {
      std::string unit;
      if (text_[at_] == '(') {
        ++at_;
        if (depth > 50 || !sequence(unit, depth + 1)) return false;
        ++at_;
      } else {
        const char c = text_[at_++];
        if (c == ',' || c == ' ') continue;
        if (c != '|' && !std::isalpha(static_cast<unsigned char>(c))) return false;
        unit = c;
      }
      std::size_t times = 1;
      if (at_ < text_.size() && text_[at_] == '*') {
        const char* begin = text_.data() + at_ + 1;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), times);
        if (error != std::errc()) return false;
        at_ = static_cast<std::size_t>(end - text_.data());
      }
      if (times > kLimit || out.size() + unit.size() * times > kLimit) return false;
      for (std::size_t i = 0; i < times; ++i) out += unit;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<std::string>> pipeline_layout(std::string_view text) { return LayoutReader(text).read(); }

}  // namespace shardlint
