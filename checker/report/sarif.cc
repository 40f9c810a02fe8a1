// SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/. Rules are those that were broken, each with its page; a clean run has an
// empty list of results.
#include <map>

#include <fmt/format.h>

#include "checker/report/ci.h"
#include "checker/report/ci_parts.h"
#include "checker/report/json_parts.h"

namespace shardlint {

namespace {

std::string_view level(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

// A path as a relative or file: URI.
std::string uri(std::string_view path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/._-~+@").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

// Pages are Markdown with the rule's name as their title, which a viewer shows already.
std::string without_title(std::string_view page) {
  if (page.starts_with("# ")) page.remove_prefix(std::min(page.find('\n'), page.size()));
  while (page.starts_with('\n')) page.remove_prefix(1);
  return std::string(page);
}

class Sarif {
 public:
  Sarif(const CheckResult& result, const CiReport& how, std::string& out) : result_(result), how_(how), parts_(out, how.working_folder) {}

  void write() {
    json_.object([&] {
      json_.attribute("$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
      json_.attribute("version", "2.1.0");
      json_.attributeArray("runs", [&] { json_.object([&] { run(); }); });
    });
  }

 private:
  void run() {
    json_.attributeObject("tool", [&] {
      json_.attributeObject("driver", [&] {
        json_.attribute("name", "shardlint");
        json_.attribute("semanticVersion", SHARDLINT_VERSION);
        json_.attribute("informationUri", SHARDLINT_HOMEPAGE);
        json_.attributeArray("rules", [&] {
          for (const Finding& finding : result_.findings)
            if (index_.try_emplace(finding.rule, index_.size()).second) rule_described(finding.rule);
        });
      });
    });
    json_.attributeArray("invocations", [&] {
      json_.object([&] {
        json_.attribute("executionSuccessful", result_.errors.empty());
        if (!result_.errors.empty() || !result_.remarks.empty())
          json_.attributeArray("toolConfigurationNotifications", [&] {
            for (const std::string& error : result_.errors) notification("error", error);
            for (const std::string& remark : result_.remarks) notification("note", remark);
          });
      });
    });
    json_.attribute("columnKind", "unicodeCodePoints");
    const std::vector<std::string> names = fingerprints(result_.findings, how_.working_folder);
    json_.attributeArray("results", [&] {
      for (std::size_t i = 0; i < result_.findings.size(); ++i) broken(result_.findings[i], names[i]);
    });
  }

  void message(std::string_view key, std::string_view text) {
    json_.attributeObject(key, [&] { parts_.text("text", text); });
  }

  void notification(std::string_view level, std::string_view text) {
    json_.object([&] {
      parts_.text("level", level);
      message("message", text);
    });
  }

  void rule_described(const std::string& name) {
    const RuleText text = how_.describe(name);
    json_.object([&] {
      parts_.text("id", name);
      if (!text.summary.empty()) message("shortDescription", text.summary);
      if (const std::string page = without_title(text.page); !page.empty())
        json_.attributeObject("help", [&] {
          parts_.text("text", page);
          parts_.text("markdown", page);
        });
      json_.attributeObject("defaultConfiguration", [&] { parts_.text("level", level(text.severity)); });
      json_.attributeObject("properties", [&] {
        json_.attributeArray("tags", [&] { parts_.item(text.family); });
        parts_.text("problem.severity", text.severity == Severity::Info ? "recommendation" : shardlint::name(text.severity));
        parts_.text("precision", text.severity == Severity::Error ? "very-high" : "high");
      });
    });
  }

  void broken(const Finding& finding, const std::string& fingerprint) {
    json_.object([&] {
      parts_.text("ruleId", finding.rule);
      json_.attribute("ruleIndex", static_cast<i64>(index_[finding.rule]));
      parts_.text("level", level(finding.severity));
      std::string text = one_line(finding);
      for (const Note& note : finding.notes)
        if (region_of(note.place, how_.working_folder).file.empty()) text += "\n" + with_commas(note.message);
      message("message", text);
      const Region where = region_of(finding, how_.working_folder);
      if (!where.file.empty()) json_.attributeArray("locations", [&] { location(where, std::nullopt, ""); });
      json_.attributeObject("partialFingerprints", [&] {
        parts_.text("primaryLocationLineHash", fingerprint);  // what GitHub compares
        parts_.text("shardlint/v1", fingerprint);
      });
      related(finding);
      fixes(finding);
    });
  }

  void location(const Region& where, std::optional<i64> id, std::string_view says) {
    json_.object([&] {
      if (id) json_.attribute("id", *id);
      if (!says.empty()) message("message", says);
      json_.attributeObject("physicalLocation", [&] {
        artifact(where.file);
        region("region", where);
      });
    });
  }

  void artifact(const std::string& file) {
    json_.attributeObject("artifactLocation", [&] {
      parts_.text("uri", uri(file));
      if (!file.starts_with('/')) json_.attribute("uriBaseId", "%SRCROOT%");
    });
  }

  void region(std::string_view key, const Region& where) {
    json_.attributeObject(key, [&] {
      json_.attribute("startLine", where.line);
      json_.attribute("startColumn", where.column);
      json_.attribute("endLine", where.end_line);
      json_.attribute("endColumn", where.end_column);
    });
  }

  void related(const Finding& finding) {
    std::vector<std::pair<Region, std::string>> places;
    for (const Note& note : finding.notes)
      if (Region where = region_of(note.place, how_.working_folder); !where.file.empty())
        places.emplace_back(std::move(where), with_commas(note.message));
    if (places.empty()) return;
    json_.attributeArray("relatedLocations", [&] {
      for (std::size_t i = 0; i < places.size(); ++i) location(places[i].first, static_cast<i64>(i), places[i].second);
    });
  }

  void fixes(const Finding& finding) {
    // A fix of the command line is no change of an artifact.
    const auto in_files = [&](const Fix& fix) {
      return !fix.edits.empty() && std::all_of(fix.edits.begin(), fix.edits.end(), [&](const Edit& edit) {
        return !region_of({edit.source, edit.range}, how_.working_folder).file.empty();
      });
    };
    if (std::none_of(finding.fixes.begin(), finding.fixes.end(), in_files)) return;
    json_.attributeArray("fixes", [&] {
      for (const Fix& fix : finding.fixes)
        if (in_files(fix)) change(fix);
    });
  }

  void change(const Fix& fix) {
    std::map<std::string, std::vector<const Edit*>> by_file;
    for (const Edit& edit : fix.edits) by_file[region_of({edit.source, edit.range}, how_.working_folder).file].push_back(&edit);
    json_.object([&] {
      message("description", with_commas(fix.title));
      json_.attributeArray("artifactChanges", [&] {
        for (const auto& [file, edits] : by_file)
          json_.object([&] {
            artifact(file);
            json_.attributeArray("replacements", [&] {
              for (const Edit* edit : edits)
                json_.object([&] {
                  region("deletedRegion", region_of({edit->source, edit->range}, how_.working_folder));
                  json_.attributeObject("insertedContent", [&] { parts_.text("text", edit->text); });
                });
            });
          });
      });
      json_.attributeObject("properties", [&] { parts_.text("safety", shardlint::name(fix.safety)); });
    });
  }

  const CheckResult& result_;
  const CiReport& how_;
  JsonParts parts_;
  llvm::json::OStream& json_ = parts_.json();
  std::map<std::string, std::size_t> index_;  // of a rule in the list
};

}  // namespace

std::string sarif_report(const CheckResult& result, const CiReport& how) {
  std::string out;
  Sarif(result, how, out).write();
  return out + "\n";
}

}  // namespace shardlint
