// One unit through Clang: from a request to answer lines. No Clang here, so that main.cc stays light.
#pragma once

#include <memory>
#include <string>

#include "checker/cxx/bindings.h"

namespace shardlint::cxx {

class Frontend {
 public:
  // `keep`: preambles are kept between requests for the same file.
  explicit Frontend(bool keep);
  ~Frontend();
  // All lines of the answer but the last.
  std::string answer(const Request& request);

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace shardlint::cxx
