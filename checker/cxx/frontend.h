// One unit through Clang: from a request to answer lines. No Clang here, so that main.cc stays light.
#pragma once

#include <memory>
#include <string>

#include "checker/cxx/bindings.h"

namespace shardlint::cxx {

class Frontend {
 public:
  Frontend();
  ~Frontend();
  // All lines of the answer but the last. Uses the file's preamble, if one is kept that still fits.
  std::string answer(const Request& request);
  // Reads what the file includes and keeps it, unless what is kept still fits: the next answer for this file reads little more than the
  // file itself.
  void prepare(const Request& request);

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace shardlint::cxx
