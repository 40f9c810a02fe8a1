// C++ files: the front end is asked what plans a unit builds, and its answer becomes facts.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/fact.h"
#include "checker/engine/bindings.h"
#include "checker/engine/compile.h"
#include "checker/engine/process.h"
#include "checker/launch/launch.h"
#include "checker/text/files.h"

namespace shardlint {

struct CxxPlan {
  BindingPtr binding;
  std::string name, role;  // "plan", "model", "flags", "program", "text", "map"
  std::shared_ptr<const BoundFramework> framework;
  Facts facts;
  std::vector<std::pair<std::string, std::string>> aliases;  // as the binding calls a field -> the field
  Place place;

  // Whether the program's command line and calls make it: there is one a program.
  bool of_program() const { return role == "flags" || role == "program"; }
};

struct CxxUnit {
  std::vector<CxxPlan> plans;
  struct Mistake {
    std::string message, nearest;
    Place place;
  };
  std::vector<Mistake> mistakes;
  // Values that a bound member's type cannot hold.
  struct Narrowed {
    std::string message;
    Place place;
  };
  std::vector<Narrowed> narrowed;
  std::vector<std::string> skipped;
  std::string failure;  // why it was not read whole: "the C++ reader crashed on this file"
};

// The processes that read C++ (shardlint-cxx): as many as are asked at once, each kept for the next question, started anew after a crash
// or when it took too long. For several threads.
class CxxReaders {
 public:
  // `keep`: the same files will be asked for again, so what they include is kept between questions. For those who check while people write.
  explicit CxxReaders(bool keep = false) : keep_(keep) {}

  bool keep() const { return keep_; }
  // All that the front end says of one file; `request` is one line.
  Ran ask(const std::string& file, const std::string& request);

 private:
  struct Reader {
    std::unique_ptr<Process> process;
    std::vector<std::string> files;  // that it was asked for, the last one last
  };
  Reader take(const std::string& file);

  const bool keep_;
  std::mutex mutex_;
  std::vector<Reader> idle_;
};

// Said of a file that nobody can read: the reader is not installed, or shardlint was built without it.
inline constexpr std::string_view kNoCxxReader = "C++ is not read: shardlint-cxx is neither beside shardlint nor in PATH";

// What the units of a check share to read C++.
struct CxxTools {
  CxxTools(const Files& files, std::shared_ptr<CxxReaders> kept)
      : readers(kept ? std::move(kept) : std::make_shared<CxxReaders>()), builds(files) {}

  const std::shared_ptr<CxxReaders> readers;
  const Builds builds;
};

// `document` is the unit's text; headers are read from the disk, but for those that only `files` holds. `start`: the command that starts
// the program, whose words give flags their values; null if it is not known.
CxxUnit read_cxx(CxxReaders& readers, const Files& files, const DocumentPtr& document, const std::vector<BindingPtr>& bindings,
                 const CompileCommand& command, const launch::Training* start = nullptr);

}  // namespace shardlint
