#include "tests/mutate/switch.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace shardlint::mutate {
namespace {

const char* trace_file() { return std::getenv("SHARDLINT_MUTANT_TRACE"); }

std::array<std::atomic<bool>, 100'000> different;

std::vector<int>& all_refused() {
  static std::vector<int> numbers;
  return numbers;
}

// A line for each test: its name, how long it took in ms, and the mutants that it made different. What is different between the tests is said
// of none.
class Trace : public testing::EmptyTestEventListener {
 public:
  void OnTestProgramStart(const testing::UnitTest&) override {
    out_.open(trace_file());
    out_ << "refused\t0";
    for (const int number : all_refused()) out_ << '\t' << number;
    out_ << '\n';
  }
  void OnTestStart(const testing::TestInfo&) override { line("", 0); }
  void OnTestEnd(const testing::TestInfo& test) override {
    line(std::string(test.test_suite_name()) + "." + test.name(), test.result()->elapsed_time());
  }
  void OnTestProgramEnd(const testing::UnitTest&) override { line("", 0); }

 private:
  void line(const std::string& name, long ms) {
    out_ << name << '\t' << ms;
    for (std::size_t number = 0; number < different.size(); ++number)
      if (different[number].exchange(false)) out_ << '\t' << number;
    out_ << std::endl;
  }

  std::ofstream out_;
};

const bool listening = [] {
  if (trace_file()) testing::UnitTest::GetInstance()->listeners().Append(new Trace);
  return true;
}();

}  // namespace

int chosen() {
  static const int number = [] {
    const char* said = std::getenv("SHARDLINT_MUTANT");
    return trace_file() ? kTraced : said ? std::atoi(said) : 0;
  }();
  return number;
}

void differs(int number) {
  if (chosen() == kTraced) different[static_cast<std::size_t>(number)] = true;
}

bool refused(int number) {
  all_refused().push_back(number);
  return true;
}

}  // namespace shardlint::mutate
