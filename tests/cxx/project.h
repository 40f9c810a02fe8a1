// A project in a folder of its own, checked as a user does: the front end reads headers from the disk.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/engine/check.h"
#include "checker/engine/cxx.h"
#include "checker/engine/process.h"
#include "tests/folder.h"

namespace shardlint {

namespace fs = std::filesystem;

inline const std::string kBinding =
    "version = 1\n[framework]\nname = \"quarry\"\nuneven_stages = \"refused\"\n"
    "[[type]]\nname = \"quarry::Plan\"\nrole = \"plan\"\n[type.fields]\nwide = \"tp\"\ndeep = \"pp\"\ncrew = \"world_size\"\nfloors = "
    "\"layers\"\n";
inline const std::string kHeader =
    "#pragma once\nnamespace quarry {\nstruct Plan {\n  int wide = 1;\n  int deep = 1;\n  int crew = 8;\n  int floors = 24;\n};\n}\n";

class CheckCxx : public testing::Test {
 protected:
  void SetUp() override {
    if (program_beside("shardlint-cxx").empty()) GTEST_SKIP() << "built without the C++ front end";
    put("plan.h", kHeader);
    put("shardlint.bindings.toml", kBinding);
  }

  void put(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  CheckResult check(std::vector<std::string> paths, CheckOptions options = {}) {
    for (std::string& one : paths) one = path(one);
    options.paths = std::move(paths);
    options.cxx_readers = readers_;
    return shardlint::check(Disk(), options);
  }
  static std::string said(const CheckResult& result) {
    std::string out;
    for (const Finding& finding : result.findings) out += finding.message + "\n";
    return out;
  }
  // A field of a plan; "?" if it is unknown, "-" if there is no such plan.
  static std::string field(const CheckResult& result, const std::string& plan, const std::string& name) {
    std::string out = "-";
    for (const PlanReport& one : result.plans) {
      if (one.name != plan) continue;
      out = "?";
      for (const FieldReport& f : one.fields)
        if (f.name == name && f.value) return to_string(*f.value);
    }
    return out;
  }
  static std::string lines(const CheckResult& result) {
    std::string out;
    for (const Finding& finding : result.findings)
      out +=
          fmt::format("{}:{} {} {} [{}]\n", fs::path(finding.place.source->path()).filename().string(),
                      finding.place.source->position(finding.place.range.begin).line, name(finding.severity), finding.rule, finding.plan);
    for (const std::string& error : result.errors) out += "! " + error + "\n";
    return out;
  }

  const test::Folder own_;
  const fs::path folder_ = own_.path();
  std::shared_ptr<CxxReaders> readers_;  // null: each check has its own
};

}  // namespace shardlint
