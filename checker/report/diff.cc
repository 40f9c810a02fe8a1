#include "checker/report/diff.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "checker/report/excerpt.h"
#include "checker/report/fields.h"
#include "checker/report/json_parts.h"
#include "checker/report/paint.h"
#include "checker/report/units.h"

namespace shardlint {

namespace {

std::string shown_as(Account::Unit unit, double value) {
  switch (unit) {
    case Account::Unit::Bytes: return bytes_text(value);
    case Account::Unit::Share: return percent_text(value);
    case Account::Unit::Seconds: return seconds_text(value);
    case Account::Unit::Count: return count_text(value);
    case Account::Unit::Days: return days_text(value);
  }
  return "";
}

// "+ 9.1 GB", "- 8.0 points"
std::string change_text(const AccountDifference& difference) {
  const double by = difference.after.value - difference.before.value;
  const std::string sign = by < 0 ? "- " : "+ ";
  if (difference.before.unit == Account::Unit::Share) return fmt::format("{}{:.1f} points", sign, 100 * std::fabs(by));
  return sign + shown_as(difference.before.unit, std::fabs(by));
}

class DiffText {
 public:
  DiffText(const TextStyle& style, std::string& out) : style_(style), paint_(style.color), out_(out) {}

  void write(const PlanDifference& difference) {
    for (const PlanReport* plan : {difference.before, difference.after})
      if (plan) out_ += paint_.bold(plan_line(*plan, style_.working_folder)) + "\n";
    if (!difference.before || !difference.after) {
      out_ += difference.before ? "only in the first\n" : "only in the second\n";
      return;
    }
    fields("values", difference, false);
    fields("what follows from them", difference, true);
    accounts(difference);
    only("known in the first alone", difference.only_before);
    only("known in the second alone", difference.only_after);
    if (difference.same()) out_ += "\nThe same plan.\n";
  }

 private:
  struct Row {
    std::string name, before, after, note;
  };
  void rows(std::string_view title, const std::vector<Row>& all) {
    if (all.empty()) return;
    std::size_t name = 0, before = 0, after = 0;
    for (const Row& row : all)
      name = std::max(name, columns(row.name)), before = std::max(before, columns(row.before)), after = std::max(after, columns(row.after));
    out_ += fmt::format("\n{}\n", paint_.bold(title));
    for (const Row& row : all) {
      std::string line = fmt::format("  {}  {}{} -> {}", padded(row.name, name), spaces(before - columns(row.before)),
                                     paint_.red(row.before), paint_.green(row.after));
      if (!row.note.empty()) line += spaces(after - columns(row.after)) + "  " + paint_.faint(row.note);
      out_ += line + "\n";
    }
  }

  void fields(std::string_view title, const PlanDifference& difference, bool follow) {
    std::vector<Row> all;
    for (const FieldDifference& field : difference.fields) {
      if (field.follows != follow) continue;
      std::string note;
      for (const FieldReport* side : {field.before, field.after}) {
        const std::string place = side->place && !follow ? place_line(side->place, style_.working_folder, false) : "";
        if (!place.empty()) note += (note.empty() ? "" : ", ") + place;
      }
      all.push_back({field.before->name, field_text(*field.before), field_text(*field.after), note});
    }
    rows(title, all);
  }

  void accounts(const PlanDifference& difference) {
    std::vector<Row> all;
    for (const AccountDifference& account : difference.accounts)
      all.push_back({account.before.title, shown_as(account.before.unit, account.before.value),
                     shown_as(account.after.unit, account.after.value), change_text(account)});
    rows("accounts", all);
  }

  void only(std::string_view title, const std::vector<const FieldReport*>& found) {
    if (found.empty()) return;
    out_ += fmt::format("\n{}\n", paint_.bold(title));
    std::string line = " ";
    for (const FieldReport* field : found) {
      const std::string word = fmt::format(" {} {}{}", field->name, field_text(*field), field == found.back() ? "" : ",");
      if (columns(line) + columns(word) > style_.width) out_ += paint_.faint(line) + "\n", line = " ";
      line += word;
    }
    out_ += paint_.faint(line) + "\n";
  }

  const TextStyle& style_;
  Paint paint_;
  std::string& out_;
};

}  // namespace

std::string diff_text(const std::vector<PlanDifference>& differences, const TextStyle& style) {
  std::string out;
  DiffText text(style, out);
  for (const PlanDifference& difference : differences) {
    if (!out.empty()) out += "\n";
    text.write(difference);
  }
  return out;
}

std::string diff_json(const std::vector<PlanDifference>& differences, std::string_view working_folder) {
  std::string out;
  JsonParts parts(out, working_folder);
  llvm::json::OStream& json = parts.json();
  const auto side = [&](std::string_view key, const PlanReport* plan) {
    if (!plan) return json.attribute(JsonParts::utf8(key), nullptr);
    json.attributeObject(JsonParts::utf8(key), [&] {
      parts.file(plan->file);
      parts.text("name", plan->name), parts.text("framework", plan->framework);
    });
  };
  const auto value = [&](std::string_view key, const FieldReport& field) {
    json.attributeObject(JsonParts::utf8(key), [&] {
      parts.value("value", field.value.value_or(Null{}));
      parts.text("origin", without_separators(field.origin));
      parts.place(field.place);
    });
  };
  json.object([&] {
    json.attribute("version", SHARDLINT_VERSION);
    json.attribute("same", std::all_of(differences.begin(), differences.end(), [](const PlanDifference& d) { return d.same(); }));
    parts.list("plans", differences, [&](const PlanDifference& difference) {
      json.object([&] {
        side("before", difference.before), side("after", difference.after);
        parts.list("fields", difference.fields, [&](const FieldDifference& field) {
          json.object([&] {
            parts.text("name", field.before->name);
            json.attribute("follows", field.follows);
            value("before", *field.before), value("after", *field.after);
          });
        });
        parts.list("accounts", difference.accounts, [&](const AccountDifference& account) {
          json.object([&] {
            parts.text("name", account.before.title.substr(account.before.title.find_first_not_of(' ')));
            json.attributeObject("before", [&] { parts.text("path", account.before.path), json.attribute("value", account.before.value); });
            json.attributeObject("after", [&] { parts.text("path", account.after.path), json.attribute("value", account.after.value); });
          });
        });
        parts.list("only_before", difference.only_before, [&](const FieldReport* field) { parts.item(field->name); });
        parts.list("only_after", difference.only_after, [&](const FieldReport* field) { parts.item(field->name); });
      });
    });
  });
  return out + "\n";
}

}  // namespace shardlint
