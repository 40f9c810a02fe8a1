// Whether what is offered works, whatever the file.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "checker/engine/check.h"
#include "checker/fix/writer.h"

namespace shardlint::test {

inline CheckResult check_text(const std::string& path, const std::string& text, const Facts& settings, bool fixes) {
  Overlay files;
  files.put(path, text);
  CheckOptions options;
  options.paths = {path};
  options.command_line.facts = settings;
  options.fixes = fixes;
  options.isolated = true;
  options.jobs = 1;
  options.advice = true;
  return check(files, options);
}

// Findings of a rule, those too that hang under another: "with it: ... (rule)".
inline std::size_t count(const CheckResult& result, const std::string& rule) {
  std::size_t out = 0;
  for (const Finding& finding : result.findings) {
    out += finding.rule == rule;
    for (const Note& note : finding.notes) out += note.message.ends_with("(" + rule + ")");
  }
  return out;
}

// Every fix of every finding, made alone, takes a finding of its rule away and brings no error or warning that was not there.
inline void expect_fixes_work(const std::string& path, const std::string& text, const Facts& settings) {
  const CheckResult before = check_text(path, text, settings, true);
  for (const Finding& finding : before.findings)
    for (const Fix& fix : finding.fixes) {
      const auto mended = apply(*finding.place.source, fix.edits);
      ASSERT_TRUE(mended) << fix.title;
      const CheckResult after = check_text(path, *mended, settings, false);
      EXPECT_LT(count(after, finding.rule), count(before, finding.rule)) << finding.rule << ": " << fix.title << "\n" << *mended;
      for (const Finding& other : after.findings)
        if (other.severity > Severity::Info) {
          EXPECT_LE(count(after, other.rule), count(before, other.rule))
              << finding.rule << ": " << fix.title << " brings " << other.rule << "\n"
              << *mended;
        }
    }
}

}  // namespace shardlint::test
