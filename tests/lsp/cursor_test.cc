// Where the cursor (|) stands: the place, the holder, the key, the word that would be replaced.
#include "checker/lsp/cursor.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "checker/engine/settings.h"
#include "checker/lsp/settings_completion.h"

namespace shardlint::lsp {
namespace {

std::string at(std::string text, std::optional<Format> format) {
  const std::size_t cursor = text.find('|');
  text.erase(cursor, 1);
  const auto offset = static_cast<std::uint32_t>(cursor);
  const std::optional<Cursor> found = format ? cursor_at(text, offset, *format) : cursor_in_command(text, offset);
  if (!found) return "nothing";
  static constexpr std::string_view kPlaces[] = {"key", "value", "header"};
  return fmt::format("{} in '{}'{} word '{}'{}", kPlaces[static_cast<int>(found->place)], found->parent,
                     found->key.empty() ? "" : fmt::format(" of {}", found->key),
                     text.substr(found->word.begin, found->word.end - found->word.begin), found->colon ? " colon" : "");
}

TEST(Cursor, Yaml) {
  EXPECT_EQ(at("|", Format::Yaml), "key in '' word ''");
  EXPECT_EQ(at("mod|", Format::Yaml), "key in '' word 'mod'");
  EXPECT_EQ(at("a:\n  b:\n    te|ns\nc: 1\n", Format::Yaml), "key in 'a.b' word 'tens'");
  EXPECT_EQ(at("a:\n  b:\n    x: 1\n  te|: 3\n", Format::Yaml), "key in 'a' word 'te' colon");
  EXPECT_EQ(at("a:\n  b: |\n", Format::Yaml), "value in 'a' of b word ''");
  EXPECT_EQ(at("a:\n  b: tr|ue # x\n", Format::Yaml), "value in 'a' of b word 'true'");
  EXPECT_EQ(at("a:\n  b: \"fl|ash\"\n", Format::Yaml), "value in 'a' of b word '\"flash\"'");
  EXPECT_EQ(at("a: 1\n# te|\n", Format::Yaml), "nothing");
  EXPECT_EQ(at("a: x # te|\n", Format::Yaml), "nothing");
  EXPECT_EQ(at("list:\n  - name: x\n    si|\n", Format::Yaml), "key in 'list[0]' word 'si'");
  EXPECT_EQ(at("list:\n- name: x\n  si|\n", Format::Yaml), "key in 'list[0]' word 'si'");
  EXPECT_EQ(at("list:\n  - na|\n", Format::Yaml), "key in 'list[0]' word 'na'");
  EXPECT_EQ(at("größe: 🚀\nü:\n  te|", Format::Yaml), "key in 'ü' word 'te'");
  EXPECT_EQ(at("A:\n  --tens|: 8\n", Format::Yaml), "key in 'A' word '--tens' colon");
}

TEST(Cursor, Toml) {
  EXPECT_EQ(at("tr|", Format::Toml), "key in '' word 'tr'");
  EXPECT_EQ(at("[a]\nx = 1\n[b.\"c\"]\nte|\n", Format::Toml), "key in 'b.c' word 'te'");
  EXPECT_EQ(at("[a]\nb.c.te|\n", Format::Toml), "key in 'a.b.c' word 'te'");
  EXPECT_EQ(at("[a]\nx = |\n", Format::Toml), "value in 'a' of x word ''");
  EXPECT_EQ(at("[a]\nb.x = \"fl|ash\"\n", Format::Toml), "value in 'a.b' of x word '\"flash\"'");
  EXPECT_EQ(at("[a]\nx = [\"one\", \"t|\"]\n", Format::Toml), "value in 'a' of x word '\"t\"'");
  EXPECT_EQ(at("[pa|\n", Format::Toml), "header in '' word 'pa'");
  EXPECT_EQ(at("[[ru|]]\n", Format::Toml), "header in '' word 'ru'");
  EXPECT_EQ(at("[[run]]\nna|\n", Format::Toml), "key in 'run[0]' word 'na'");
  EXPECT_EQ(at("x = 1 # te|\n", Format::Toml), "nothing");
}

TEST(Cursor, Json) {
  EXPECT_EQ(at("{|}", Format::Json), "key in '' word ''");
  EXPECT_EQ(at("{\"a\": {\"b\": 1, \"te|\"}}", Format::Json), "key in 'a' word '\"te\"'");
  EXPECT_EQ(at("{\"a\": {\"te|\": 1}}", Format::Json), "key in 'a' word '\"te\"' colon");
  EXPECT_EQ(at("{\"a\": {\"b\": fa|}}", Format::Json), "value in 'a' of b word 'fa'");
  EXPECT_EQ(at("{\"a\": [{\"b\": \"x|\"}]}", Format::Json), "value in 'a[0]' of b word '\"x\"'");
  EXPECT_EQ(at("{\"a}\": {\"b\\\"\": {\"te|", Format::Json), "key in 'a}.b\\\"' word '\"te'");
  EXPECT_EQ(at("{\"a\": [1, |]}", Format::Json), "nothing");
}

TEST(Cursor, Commands) {
  EXPECT_EQ(at("torchrun x.py --tens|", std::nullopt), "key in '' word '--tens'");
  EXPECT_EQ(at("torchrun x.py --tensor-model-parallel-size | \\\n", std::nullopt), "value in '' of --tensor-model-parallel-size word ''");
  EXPECT_EQ(at("ARGS=(\n  --bf16\n  --tp-comm|=3\n)\n", std::nullopt), "key in '' word '--tp-comm'");
  EXPECT_EQ(at("x --a.b=tr|ue", std::nullopt), "value in '' of --a.b word 'true'");
  EXPECT_EQ(at("x --size \\\n  8|\n", std::nullopt), "value in '' of --size word '8'");
  EXPECT_EQ(at("echo hello|", std::nullopt), "nothing");
  EXPECT_EQ(at("# --te|", std::nullopt), "nothing");
}

// What is offered in shardlint.toml is taken by it, and what it takes is offered.
TEST(SettingsCompletion, OffersWhatIsRead) {
  Client client;
  Request request;
  request.client = &client;
  request.buffers = std::make_shared<const Buffers>();
  request.text = std::make_shared<const Text>("");
  std::size_t offered = 0;
  for (const std::string table : {"", "cluster", "run[0]", "cxx", "rules", "per-path[0]", "constraint[0]"}) {
    Cursor cursor;
    cursor.parent = table;
    const bool list = table.ends_with("[0]");
    const std::string name = list ? table.substr(0, table.size() - 3) : table;
    for (const llvm::json::Value& item : settings_completion(request, cursor)) {
      const std::string key = item.getAsObject()->getString("label")->str();
      Overlay files;
      files.put("shardlint.toml",
                fmt::format("{}\n{} = []\n", name.empty() ? "" : fmt::format("{}{}{}", list ? "[[" : "[", name, list ? "]]" : "]"), key));
      const auto settings = read_settings(files, "shardlint.toml");
      ++offered;
      for (const std::string& error : settings->errors) {
        EXPECT_EQ(error.find("no setting"), std::string::npos) << error;
        EXPECT_EQ(error.find("has no meaning here"), std::string::npos) << error;
      }
    }
  }
  EXPECT_GT(offered, 20u);
}

}  // namespace
}  // namespace shardlint::lsp
