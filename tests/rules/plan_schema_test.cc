// schemas/plan spells every canonical field under its own name. Its two generated files follow checker/plan/fields.def; UPDATE_FIXTURES=1
// writes them anew.
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/schema/schema.h"
#include "tests/where.h"

namespace shardlint {
namespace {

constexpr std::string_view kFolder = SHARDLINT_ROOT "/schemas/plan/";

std::string read(const std::string& path) {
  std::stringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

void expect_file(std::string_view name, const std::string& wanted) {
  const std::string path = std::string(kFolder) + std::string(name);
  if (std::getenv("UPDATE_FIXTURES")) std::ofstream(path, std::ios::binary) << wanted;
  EXPECT_EQ(read(path), wanted) << "UPDATE_FIXTURES=1 writes it anew; then build again";
}

std::string_view kind(TypeSet types) {
  if (types == type::Any) return "any";
  return types & type::Real ? "float" : types & type::Int ? "int" : types & type::Bool ? "bool" : "str";
}

// Which values a field may have is said in keys.tsv itself.
std::map<std::string, std::string> choices_by_key() {
  std::map<std::string, std::string> out;
  std::istringstream rows(read(std::string(kFolder) + "keys.tsv"));
  for (std::string row, key, cell; std::getline(rows, row);) {
    std::istringstream cells(row);
    std::getline(cells, key, '\t');
    for (int column = 0; column < 3; ++column) std::getline(cells, cell, '\t');
    out[key] = cell;
  }
  return out;
}

TEST(PlanSchema, HasEveryFieldAsAKey) {
  std::string keys = "key\ttype\tdefault\tchoices\tnote\n", sections;
  std::map<std::string, std::string> choices = choices_by_key();
  for (const FieldInfo& field : fields()) {
    const std::string_view section = field.name.substr(0, field.name.find('.'));
    if (section != field.name && sections.find(fmt::format(" {} ", section)) == std::string::npos) {
      keys += fmt::format("{}\tdict\t\t\t\n", section);
      sections += fmt::format(" {} ", section);
    }
    keys += fmt::format("{}\t{}\t\t{}\t{}\n", field.name, kind(field.types), choices[std::string(field.name)], field.doc);
  }
  expect_file("keys.tsv", keys);
}

TEST(PlanSchema, MapsEveryField) {
  const std::string path = std::string(kFolder) + "schema.toml";
  const std::string text = read(path);
  const std::size_t at = text.find("[plan]\n");
  ASSERT_NE(at, std::string::npos);
  std::string wanted = text.substr(0, at) + "[plan]\n";
  for (const FieldInfo& field : fields()) {
    const std::string name = field.name.find('.') == std::string_view::npos ? std::string(field.name) : fmt::format("\"{}\"", field.name);
    // A field that nothing derives is unknown where it is not written: it waits for itself.
    if (field.derivation.empty())
      wanted += fmt::format("{} = \"default('{}', {})\"\n", name, field.name, field.name);
    else
      wanted += fmt::format("{} = \"'{}'\"\n", name, field.name);
  }
  expect_file("schema.toml", wanted);
}

}  // namespace
}  // namespace shardlint
