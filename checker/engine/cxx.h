// C++ files: the front end is asked what plans a unit builds, and its answer becomes facts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/document/fact.h"
#include "checker/engine/bindings.h"
#include "checker/text/files.h"

namespace shardlint {

// How a unit is compiled.
struct CompileCommand {
  std::string folder;
  std::vector<std::string> flags;
};
// From compile_commands.json in the file's folder or above it; else the flags given, else C++20 with the folders that a project has.
CompileCommand compile_command(const Files& files, const std::string& path, const std::vector<std::string>& flags);

struct CxxPlan {
  BindingPtr binding;
  std::string name, role;
  std::shared_ptr<const BoundFramework> framework;
  Facts facts;
  std::vector<std::pair<std::string, std::string>> aliases;  // as the binding calls a field -> the field
  Place place;
};

struct CxxUnit {
  std::vector<CxxPlan> plans;
  struct Mistake {
    std::string message, nearest;
    Place place;
  };
  std::vector<Mistake> mistakes;
  std::vector<std::string> skipped;
  std::string failure;  // why it was not read whole: "the C++ reader crashed on this file"
};

// `document` is the unit's text; headers are read from the disk.
CxxUnit read_cxx(const Files& files, const DocumentPtr& document, const std::vector<BindingPtr>& bindings, const CompileCommand& command);

}  // namespace shardlint
