#include "checker/engine/settings.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "checker/diag/composition.h"
#include "checker/diag/hygiene.h"
#include "checker/diag/launch.h"
#include "tests/where.h"

namespace shardlint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

std::shared_ptr<const SettingsFile> read(std::string text) {
  Overlay files;
  files.put("shardlint.toml", std::move(text));
  return read_settings(files, "shardlint.toml");
}

// "nodes=4@2 gpus_per_node=8@3": each fact with its line.
std::string dump(const Facts& facts) {
  std::string out;
  for (const Fact& fact : facts) {
    const auto line = fact.place ? fact.place.source->position(fact.place.range.begin).line : 0;
    out += fmt::format("{}{}={}@{}", out.empty() ? "" : " ", fact.path, to_string(fact.value), line);
  }
  return out;
}

std::string_view written(const Place& place) { return place ? place.source->text(place.range) : ""; }

TEST(Settings, ReadsACapabilityAsItIsWrittenOrPrinted) {
  for (const Value& written : {Value(9.0), Value(9), Value("9.0"), Value("9"), Value("(9, 0)"), Value("[9, 0]")}) {
    const Checked<Value> read = read_field("cuda_capability", written);
    ASSERT_TRUE(read.value) << to_string(written);
    EXPECT_EQ(read.value->number(), 9.0);
  }
}

TEST(Settings, AreRead) {
  const auto file = read(R"(required-version = ">=0.1, <1"
framework = "nanotron@0.4"
baseline = "known.json"

[versions]
torchtitan = "0.1"

[cluster]
nodes = 640
gpus_per_node = 8
gpu = "NVIDIA H100 80GB HBM3"
gpu_memory_gib = 80
cuda_capability = "9.0"

[env]
CUDA_DEVICE_MAX_CONNECTIONS = 1

[cxx]
bindings = ["bind.toml"]
flags = ["-Iinclude"]

[rules]
select = ["all"]
ignore = ["hygiene/unknown-key", "batch"]
severity = {nanotron = "warning"}
fail-on = "warning"
)");
  EXPECT_THAT(file->errors, IsEmpty());
  EXPECT_EQ(dump(file->settings.facts),
            "nodes=640@9 gpus_per_node=8@10 gpu=H100@11 gpu_memory_gib=80@12 cuda_capability=9@13 env.CUDA_DEVICE_MAX_CONNECTIONS=1@16");
  EXPECT_TRUE(file->settings.facts[5].value.text());
  EXPECT_TRUE(file->settings.facts[4].value.real());
  EXPECT_EQ(written(file->settings.facts[0].place), "640");
  EXPECT_EQ(written(file->settings.facts[0].key_place), "nodes");
  EXPECT_EQ(file->settings.facts[0].way, Way::Setting);
  EXPECT_EQ(file->settings.framework, "nanotron");
  EXPECT_THAT(file->settings.versions, ElementsAre(std::pair("nanotron", "0.4"), std::pair("torchtitan", "0.1")));
  EXPECT_THAT(file->settings.rules.ignore, ElementsAre("hygiene/unknown-key", "batch"));
  EXPECT_EQ(file->settings.rules.fail_on, FailOn::Warning);
  EXPECT_EQ(file->baseline, "known.json");
  EXPECT_THAT(file->bindings, ElementsAre("bind.toml"));
  EXPECT_THAT(file->cxx_flags, ElementsAre("-Iinclude"));
}

TEST(Settings, CardsOfOnesOwn) {
  const auto file = read(R"([cluster]
gpu = "Quokka 9"

[gpus."Quokka 9"]
memory_gib = 64
nvlink_domain = 16

[gpus.H100]
network_gb_s = 25.0
)");
  EXPECT_THAT(file->errors, IsEmpty());
  EXPECT_EQ(dump(file->settings.facts),
            "gpu=Quokka 9@2 gpus.Quokka 9.memory_gib=64@5 gpus.Quokka 9.nvlink_domain=16@6 gpus.H100.network_gb_s=25@9");
}

TEST(Settings, RunsPlaceTheirOverrides) {
  const auto file = read(R"([[run]]
name = "pretrain"
files = ["base.yaml", "more.yaml"]
overrides = ["trainer.num_nodes=4", '+data.path=s3://x=y', "lr=1e-5", "a=null", "b=", "c=\u0078"]

[[run]]
files = ["other.yaml"]
)");
  EXPECT_THAT(file->errors, IsEmpty());
  ASSERT_EQ(file->runs.size(), 2u);
  const RunSetting& run = file->runs[0];
  EXPECT_THAT(run.files, ElementsAre("base.yaml", "more.yaml"));
  EXPECT_EQ(dump(run.overrides), "trainer.num_nodes=4@4 data.path=s3://x=y@4 lr=1e-05@4 a=null@4 b=@4 c=x@4");
  EXPECT_EQ(written(run.overrides[0].place), "trainer.num_nodes=4");
  EXPECT_EQ(written(run.overrides[0].key_place), "trainer.num_nodes");
  EXPECT_EQ(run.overrides[0].spelled, "num_nodes");
  EXPECT_EQ(written(run.overrides[1].key_place), "data.path");
  EXPECT_EQ(written(run.overrides[5].key_place), "c=\\u0078");
  EXPECT_TRUE(run.overrides[0].value.integer());
  EXPECT_TRUE(run.overrides[2].value.real());
  EXPECT_EQ(file->runs[1].name, "other.yaml");
}

struct Mistake {
  std::string_view text, error;
};

class SettingsMistake : public testing::TestWithParam<Mistake> {};

TEST_P(SettingsMistake, HasOneClearLine) {
  const auto file = read(std::string(GetParam().text));
  EXPECT_THAT(file->errors, ElementsAre(StartsWith(GetParam().error)));
}

INSTANTIATE_TEST_SUITE_P(
    All, SettingsMistake,
    testing::Values(Mistake{"a = 1\nb = ", "shardlint.toml:2: "},  //
                    Mistake{"\nframwork = 'nanotron'", "shardlint.toml:2: no setting `framwork`; did you mean `framework`?"},
                    Mistake{"framework = 'nanotrn'", "shardlint.toml:1: no framework `nanotrn`; did you mean `nanotron`?"},
                    Mistake{"framework = 'nanotron@new'", "shardlint.toml:1: `new` is no version; a version is written as `nanotron@0.2`"},
                    Mistake{"framework = 3", "shardlint.toml:1: `framework` must be text, not an integer"},
                    Mistake{"required-version = '>=7'", "shardlint.toml:1: this is shardlint 0."},
                    Mistake{"required-version = 'new'", "shardlint.toml:1: `new` is no version; write `0.2`, `>=0.2` or `>=0.2, <1`"},
                    Mistake{"versions = 1", "shardlint.toml:1: `versions` must be a table, not an integer"},
                    Mistake{"[gpus.A]\nmemory_gb = 1", "shardlint.toml:2: no setting `gpus.A.memory_gb`; did you mean `memory_gib`?"},
                    Mistake{"[gpus.A]\nmemory_gib = 'big'", "shardlint.toml:2: `gpus.A.memory_gib` must be a number, not text"},
                    Mistake{"[gpus.A]\nmemory_gib = 0", "shardlint.toml:2: `gpus.A.memory_gib` must be more than 0"},
                    Mistake{"[cluster]\nnode = 1", "shardlint.toml:2: no setting `cluster.node`; did you mean `nodes`?"},
                    Mistake{"[cluster]\nnodes = '4'", "shardlint.toml:2: `nodes` must be an integer, not text"},
                    Mistake{"[cluster]\nnodes = 4.0", "shardlint.toml:2: `nodes` must be an integer, not a real number"},
                    Mistake{"[cluster]\nnodes = [4]", "shardlint.toml:2: `nodes` must be an integer, not a list"},
                    Mistake{"[cluster]\nnodes = 0", "shardlint.toml:2: `nodes` must be more than 0, not 0"},
                    Mistake{"[cluster]\ncuda_capability = 'sm_90'", "shardlint.toml:2: `cuda_capability` must be a number, not text"},
                    Mistake{"[cluster]\ngpu = 'NVIDIA L40'", "shardlint.toml:2: no GPU `NVIDIA L40`; did you mean `L40S`?"},
                    Mistake{"[cluster]\ngpu = 'H1000'", "shardlint.toml:2: no GPU `H1000`; did you mean `H100`?"},
                    Mistake{"[cluster]\ngpu = 'TPU'", "shardlint.toml:2: no GPU `TPU`; there are V100, A100"},
                    Mistake{"[env]\nA = ['x']", "shardlint.toml:2: `env.A` must be text, not a list"},
                    Mistake{"[run]\nname = 'x'", "shardlint.toml:1: `run` must be a list of tables ([[run]]), not a table"},
                    Mistake{"[[run]]\nname = 'x'", "shardlint.toml:1: this run names no `files`"},
                    Mistake{"[[run]]\nfiles = 'x'", "shardlint.toml:2: `run.files` must be a list of text, not text"},
                    Mistake{"[[run]]\nfiles = ['x', 1]", "shardlint.toml:2: `run.files[1]` must be text, not an integer"},
                    Mistake{"[[run]]\nfiles = ['x']\n[[run]]\nfiles = ['x']", "shardlint.toml:3: there are two runs with the name `x`"},
                    Mistake{"[[run]]\nfiles = ['x']\noverrides = [\n'a=1',\n'b']",
                            "shardlint.toml:5: `b` is no override; one is written as `key=value`, `--key=value` or `--key value`"},
                    Mistake{"[rules]\nignore = ['hygiene/unknown-keys']",
                            "shardlint.toml:2: no rule `hygiene/unknown-keys`; did you mean `hygiene/unknown-key`?"},
                    Mistake{"[rules]\nfail-on = 'warn'",
                            "shardlint.toml:2: no level `warn` to fail on; there are `error`, `warning`, `never`"},
                    Mistake{"[rules.severity]\nbatch = 'eror'", "shardlint.toml:2: no level `eror`; did you mean `error`?"},
                    Mistake{"[rules.severity]\nbatch = 'off'", "shardlint.toml:2: no level `off`; what should not be said is ignored"},
                    Mistake{"[[per-path]]\nframework = 'nanotron'", "shardlint.toml:1: this table names no `files`"},
                    Mistake{"[[per-path]]\nfiles = ['x']\nbaseline = 'x'", "shardlint.toml:3: no setting `per-path.baseline`"}));

TEST(Settings, GpusAreMatchedLoosely) {
  const std::pair<std::string_view, std::string_view> cases[] = {{"h100", "H100"},
                                                                 {"NVIDIA H100 80GB HBM3", "H100"},
                                                                 {"NVIDIA A100-SXM4-40GB", "A100-40GB"},
                                                                 {"NVIDIA A100-PCIE-80GB", "A100-80GB"},
                                                                 {"A100", "A100"},
                                                                 {"GeForce RTX 4090", "RTX4090"},
                                                                 {"NVIDIA GB200 NVL72", "GB200"},
                                                                 {"AMD Instinct MI300X", "MI300X"},
                                                                 {"NVIDIA A10G", "A10G"},
                                                                 {"nvidia-b200", "B200"}};
  for (const auto& [name, model] : cases) {
    const Checked<Value> gpu = read_field("gpu", Value(name));
    ASSERT_TRUE(gpu.value) << gpu.error;
    EXPECT_EQ(*gpu.value, Value(model)) << name;
  }
}

TEST(Settings, AreFoundUpward) {
  Overlay files;
  files.put("shardlint.toml", "[cluster]\nnodes = 1\n");
  files.put("a/b/job.yaml", "");
  files.put("a/shardlint.toml", "[cluster]\nnodes = 2\nbad = 1\n");
  SettingsFinder finder(files, false, {});
  EXPECT_EQ(finder.for_path("a/b/job.yaml")->source->path(), "a/shardlint.toml");
  EXPECT_EQ(finder.for_path("a/b"), finder.for_path("a/b/job.yaml"));
  EXPECT_EQ(finder.for_path("c/job.yaml")->source->path(), "shardlint.toml");
  EXPECT_EQ(finder.in_folder("a/b"), nullptr);
  EXPECT_EQ(finder.in_folder("./a"), finder.for_path("a/b"));
  EXPECT_THAT(finder.errors(), ElementsAre(StartsWith("a/shardlint.toml:3: no setting `cluster.bad`")));

  EXPECT_EQ(SettingsFinder(files, true, {}).for_path("a/b"), nullptr);
  SettingsFinder forced(files, false, "a/shardlint.toml");
  EXPECT_EQ(forced.for_path("job.yaml")->folder, "a");
  SettingsFinder missing(files, false, "none.toml");
  missing.for_path("job.yaml");
  EXPECT_THAT(missing.errors(), ElementsAre("none.toml: no such file"));
}

TEST(Settings, AreFoundAboveTheWorkingFolder) {
  class Inside : public Overlay {
   public:
    std::string working_folder() const override { return "/home/me"; }
  };
  Inside files;
  files.put("../../shardlint.toml", "");
  SettingsFinder finder(files, false, {});
  EXPECT_EQ(finder.for_path("a/job.yaml")->source->path(), "../../shardlint.toml");
  Inside none;
  EXPECT_EQ(SettingsFinder(none, false, {}).for_path("../../job.yaml"), nullptr);
}

TEST(Settings, LayersLieOverEachOther) {
  Overlay files;
  files.put("p/shardlint.toml", R"(framework = "nanotron"
[cluster]
nodes = 1
[rules]
select = ["batch"]
ignore = ["hygiene", "moe"]
[[per-path]]
files = ["big/**"]
cluster = {nodes = 64}
framework = "torchtitan"
rules = {ignore = ["overlap"]}
[[per-path]]
files = ["big/*.toml"]
cluster = {nodes = 128}
)");
  const auto file = read_settings(files, "p/shardlint.toml");
  ASSERT_THAT(file->errors, IsEmpty());
  Settings command_line;
  command_line.rules.select = {"hygiene"};
  command_line.rules.fail_on = FailOn::Never;
  EXPECT_EQ(dump(effective(file.get(), "p/job.yaml", {}).facts), "nodes=1@3");
  EXPECT_EQ(dump(effective(file.get(), "p/big/x.toml", {}).facts), "nodes=1@3 nodes=64@9 nodes=128@14");
  EXPECT_EQ(dump(effective(file.get(), "p/big/deep/x.toml", {}).facts), "nodes=1@3 nodes=64@9");
  const Settings settings = effective(file.get(), "p/big/x.yaml", command_line);
  EXPECT_EQ(settings.framework, "torchtitan");
  EXPECT_THAT(settings.rules.select, ElementsAre("hygiene"));
  EXPECT_THAT(settings.rules.ignore, ElementsAre("moe", "overlap"));
  EXPECT_EQ(settings.rules.fail_on, FailOn::Never);
}

TEST(Settings, Globs) {
  const std::tuple<std::string_view, std::string_view, bool> cases[] = {{"a.yaml", "a.yaml", true},
                                                                        {"*.yaml", "a.yaml", true},
                                                                        {"*.yaml", "b/a.yaml", false},
                                                                        {"**/*.yaml", "a.yaml", true},
                                                                        {"**/*.yaml", "b/c/a.yaml", true},
                                                                        {"b/**", "b/c/a.yaml", true},
                                                                        {"b/**", "bc/a.yaml", false},
                                                                        {"b/**/a.yaml", "b/a.yaml", true},
                                                                        {"b/**/a.yaml", "b/xa.yaml", false},
                                                                        {"**/a", "x/ba", false},
                                                                        {"**/a", "x/b/a", true},
                                                                        {"?.yaml", "a.yaml", true},
                                                                        {"?.yaml", "/.yaml", false},
                                                                        {"[a-c]x", "bx", true},
                                                                        {"[!a-c]x", "bx", false},
                                                                        {"[a-c]x", "dx", false},
                                                                        {"[ab", "[ab", true},
                                                                        {"a*b*c", "aXbYbZc", true},
                                                                        {"a*b*c", "aXbYbZ", false},
                                                                        {"", "", true},
                                                                        {"", "a", false},
                                                                        {"*", "", true},
                                                                        {"**", "a/b", true},
                                                                        {"**a**b", "x/a/y/b", true},
                                                                        {"**/x/**/y", "x/x/q/y", true},
                                                                        {"**/x/*/y", "x/x/q/y", true}};
  for (const auto& [glob, path, fits] : cases) EXPECT_EQ(glob_matches(glob, path), fits) << glob << " " << path;
  // Many stars and no match: time stays bounded.
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "**a";
  EXPECT_FALSE(glob_matches(stars + "b", std::string(20000, 'a')));
}

// A finding whose name is not in the list could be neither explained nor ignored.
TEST(Settings, EveryFindingIsListed) {
  std::vector<std::string> listed;
  for (const RuleInfo* info : composition::kAll) listed.push_back(fmt::format("\"{}\"", info->name));
  for (const RuleInfo* info : launching::kAll) listed.push_back(fmt::format("\"{}\"", info->name));
  for (const RuleInfo* info : hygiene::kAll) listed.push_back(fmt::format("\"{}\"", info->name));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SHARDLINT_ROOT "/checker")) {
    if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string source = text.str();
    for (const char* family : {"\"hygiene/", "\"composition/", "\"launch/"})
      for (std::size_t at = source.find(family); at != std::string::npos; at = source.find(family, at + 1))
        EXPECT_THAT(listed, testing::Contains(source.substr(at, source.find('"', at + 1) + 1 - at))) << entry.path();
  }
}

}  // namespace
}  // namespace shardlint
