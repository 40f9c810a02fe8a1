// Files that are made to hurt: each ends soon, within bounds on processor time and memory, and says something fit for a person.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/robust/program.h"

namespace shardlint::test {
namespace {

using namespace std::string_literals;

// A chain of anchors, each of which stands for several of the one before it (@).
std::string chain(std::string_view first, std::string_view next, int times) {
  std::string out = fmt::format("a0: &a0 {}\n", first);
  for (int i = 1; i < times; ++i) {
    std::string line(next);
    for (std::size_t at; (at = line.find('@')) != std::string::npos;) line.replace(at, 1, fmt::format("*a{}", i - 1));
    out += fmt::format("a{}: &a{} {}\n", i, i, line);
  }
  return out;
}

std::string numbered(std::string_view pattern, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) {
    std::string line(pattern);
    for (std::size_t at; (at = line.find('@')) != std::string::npos;) line.replace(at, 1, std::to_string(i));
    out += line;
  }
  return out;
}

// As numbered, with # for the number before.
std::string numbered_pairs(std::string_view pattern, int times) {
  std::string out;
  for (int i = 1; i < times; ++i)
    for (const char c : pattern) out += c == '@' ? std::to_string(i) : c == '#' ? std::to_string(i - 1) : std::string(1, c);
  return out;
}

const std::string kRl =
    "actor_rollout_ref: {actor: {strategy: fsdp}}\ntrainer: {nnodes: 1, n_gpus_per_node: 8}\ndata: {train_batch_size: 8}\n";

struct Bomb {
  std::string name, file;
  std::function<std::string()> text;
  int code = 1;                        // of exit
  std::string says;                    // somewhere in what it prints
  unsigned seconds = 4;                // of the processor
  std::size_t mebibytes = 512;         // of memory
  std::vector<std::string> more = {};  // arguments
};

// clang-format off
const std::vector<Bomb>& bombs() {
  static const std::string dotted = repeated("a.", 40'000) + "a";
  static const std::vector<Bomb> kAll = {
    // aliases and merges
    {"AliasesInNanotron", "a.yaml", [] { return kKeys + chain("[x, x, x, x, x]", "[@, @, @, @, @, @, @, @, @]", 12); }, 1, "200,000"},
    {"AliasesInMegatron", "a.yaml", [] { return kFlags + chain("[x, x, x, x, x]", "[@, @, @, @, @, @, @, @, @]", 12); }, 0, "200,000"},
    {"AliasedMappings", "a.yaml", [] { return kKeys + chain("{k: v}", "{a: @, b: @, c: @, d: @, e: @}", 14); }, 1, "200,000"},
    {"Merges", "a.yaml", [] { return kKeys + chain("{k: v}", "{<<: [@, @]}", 1000); }, 1, "more were found"},
    {"WideMerges", "a.yaml", [] { return kFlags + "b: &b {" + numbered("k@: 1, ", 3000) + "z: 1}\n" + numbered("m@: {<<: *b, x@: 1}\n", 3000); }, 0, "200,000"},
    {"AnAliasOfItself", "a.yaml", [] { return kFlags + "a: &a {<<: *a, b: [*a]}\n"; }, 1, "syntax-error", 1, 64},
    // nesting
    {"DeepYamlLists", "a.yaml", [] { return kKeys + "d: " + repeated("[", 100'000); }, 1, "deeper than 200 levels", 1, 64},
    {"DeepYamlListsThatClose", "a.yaml", [] { return kKeys + "d: " + repeated("[", 100'000) + repeated("]", 100'000); }, 1, "deeper than 200 levels", 1, 64},
    {"DeepYamlMappings", "a.yaml", [] { return kKeys + "d: " + repeated("{a: ", 100'000); }, 1, "deeper than 200 levels", 1, 64},
    {"DeepYamlDashes", "a.yaml", [] { return kKeys + "d:\n  " + repeated("- ", 100'000); }, 1, "deeper than 200 levels", 1, 64},
    {"DeepToml", "a.toml", [] { return kToml + "d = " + repeated("[", 100'000); }, 1, "deeper than 200 levels", 1, 64},
    {"DeepTomlTables", "a.toml", [] { return kToml + "d = " + repeated("{a = ", 100'000); }, 1, "deeper than 200 levels", 1, 64},
    {"DeepJson", "a.json", [] { return kJson + ", \"d\": " + repeated("[", 100'000); }, 1, "deeper than 200 levels", 1, 64},
    {"DeepJsonObjects", "a.json", [] { return kJson + ", \"d\": " + repeated("{\"a\":", 100'000); }, 1, "deeper than 200 levels", 1, 64},
    {"LongTomlKey", "a.toml", [] { return kToml + dotted + " = 1\n"; }, 1, "deeper than 200 levels", 1, 64},
    {"LongTomlHeader", "a.toml", [] { return kToml + "[" + dotted + "]\n"; }, 1, "deeper than 200 levels", 1, 64},
    // much of something
    {"UnknownKeysInNanotron", "a.yaml", [] { return kKeys + numbered("unknown_key_@: @\n", 250'000); }, 1, "more were found", 2, 1024},
    {"UnknownKeysInTorchTitan", "a.toml", [] { return kToml + numbered("unknown_key_@ = @\n", 250'000); }, 1, "more were found", 3, 1024},
    {"UnknownTables", "a.toml", [] { return kToml + numbered("[t@]\na = 1\n", 250'000); }, 1, "more were found", 3, 1024},
    {"UnknownKeysInDeepSpeed", "a.json", [] { return kJson + numbered(", \"u@\": @", 250'000) + "}"; }, 0, "200,000", 3, 1024},
    {"UnknownFlags", "a.yaml", [] { return kFlags + numbered("  --unknown-flag-@: @\n", 150'000); }, 1, "more were found", 3, 1024},
    {"UnknownWords", "a.sh", [] { return "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 " + numbered("--unknown-@ 1 ", 100'000) + "\n"; }, 0, "", 3, 1024},
    {"ManyCommands", "a.sh", [] { return repeated("torchrun --nproc-per-node 8 pretrain_gpt.py --tensor-model-parallel-size 3 --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --micro-batch-size 1 --seq-length 1024 --max-position-embeddings 1024\n", 3000); }, 1, "", 4, 512},
    {"OneLine", "a.yaml", [] { return kFlags + "x: " + std::string(50'000'000, 'y') + "\n"; }, 0, "nothing found", 4, 1024},
    {"OneLineOfToml", "a.toml", [] { return kToml + "x = \"" + std::string(50'000'000, 'y') + "\"\n"; }, 1, "has no key x", 4, 1024},
    {"OneLineOfJson", "a.json", [] { return kJson + ", \"x\": \"" + std::string(50'000'000, 'y') + "\"}"; }, 0, "nothing found", 4, 1024},
    {"AHundredMegabytes", "a.yaml", [] { return kFlags + "x: " + std::string(100'000'000, 'y') + "\n"; }, 2, "larger than 64 MiB", 2, 256},
    {"AHundredMegabytesOfScript", "a.sh", [] { return "#!/bin/bash\n" + std::string(100'000'000, 'y') + "\n"; }, 2, "larger than 64 MiB", 2, 256},
    {"Comments", "a.yaml", [] { return kFlags + repeated("# c\n", 3'000'000); }, 0, "nothing found", 4, 1024},
    {"Items", "a.yaml", [] { return kFlags + "x:\n" + repeated("- 1\n", 1'000'000); }, 0, "200,000", 4, 1024},
    {"TheSameKey", "a.yaml", [] { return kFlags + repeated("x: 1\n", 300'000); }, 0, "more were found", 4, 1024},
    {"Tables", "a.toml", [] { return kToml + repeated("[[a]]\nb = 1\n", 250'000); }, 1, "200,000", 4, 1024},
    // texts that make texts
    {"Interpolations", "a.yaml", [] { return kRl + "i0: xxxxxxxx\n" + numbered_pairs("i@: ${i#}${i#}${i#}${i#}\n", 1000); }, 0, "", 4, 256},
    {"NestedInterpolations", "a.yaml", [] { return kRl + "x: " + repeated("${", 100'000) + "a" + repeated("}", 100'000) + "\n"; }, 0, "", 4, 256},
    {"InterpolationsInCircles", "a.yaml", [] { return kRl + "a: ${b}\nb: ${c}\nc: ${a}${b}\nd: ${d}\ne: ${.}\n"; }, 0, "rests on itself", 2, 128},
    {"Ignores", "a.yaml", [] { return kFlags + repeated("# shardlint: ignore[all] x\n", 200'000); }, 0, "more were found", 4, 512},
    {"AnIgnoreOfAMillionNames", "a.yaml", [] { return kFlags + "# shardlint: ignore[" + repeated("a,", 1'000'000) + "all] x\n"; }, 0, "", 4, 512},
    // scripts that never end, or grow
    {"LoopOfABillion", "a.sh", [] { return repeated("for i in $(seq 1 1000000000); do x=$((x+1)); done\n", 100) + "torchrun train.py\n"; }, 0, "", 2, 256},
    {"EndlessLoop", "a.sh", [] { return "while true; do x=$x$x; done\ntorchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8\n"s; }, 0, "", 2, 256},
    {"Doubling", "a.sh", [] { return "x=a\n" + repeated("x=$x$x$x$x\n", 100) + "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers $x\n"; }, 0, "", 2, 256},
    {"FunctionsThatCallThemselves", "a.sh", [] { return "f() { f; f; }\nf\ntorchrun train.py\n"s; }, 0, "", 2, 256},
    {"AScriptThatSourcesItself", "a.sh", [] { return ". ./a.sh\nsource a.sh\nbash a.sh\ntorchrun train.py\n"s; }, 0, "", 2, 256},
    {"Braces", "a.sh", [] { return "echo {1..1000000000} " + repeated("{a,b}", 40) + "\n"; }, 0, "", 2, 256},
    {"Substitutions", "a.sh", [] { return "echo " + repeated("$(", 100'000) + "\n"; }, 0, "", 2, 512},
    {"Subshells", "a.sh", [] { return repeated("( ", 100'000) + "\n"; }, 0, "", 2, 256},
    {"Evaluations", "a.sh", [] { return "eval \"" + repeated("\\\"", 200'000) + "\"\n"; }, 0, "", 2, 512},
    // bytes
    {"Nothing", "a.yaml", [] { return ""s; }, 0, "", 1, 64},
    {"NulBytes", "a.yaml", [] { return kFlags + std::string(1000, '\0'); }, 1, "", 1, 64},
    {"NulInToml", "a.toml", [] { return kToml + "x = \"\0\"\n"s; }, 1, "", 1, 64},
    {"NulInJson", "a.json", [] { return kJson + ", \"x\": \"\0\"}"s; }, 0, "", 1, 64},
    {"NulInScript", "a.sh", [] { return "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 \0 --tensor-model-parallel-size 2\n"s; }, 1, "", 1, 64},
    {"InvalidUtf8", "a.yaml", [] { return kFlags + "x: \xC3\x28\n"; }, 1, "byte 0xC3 is not valid UTF-8", 1, 64},
    {"InvalidUtf8InToml", "a.toml", [] { return kToml + "# \xFF\n"; }, 1, "byte 0xFF is not valid UTF-8", 1, 64},
    {"SurrogateBytes", "a.yaml", [] { return kFlags + "x: \xED\xA0\x80\n"; }, 1, "not valid UTF-8", 1, 64},
    {"HalfASurrogateInJson", "a.json", [] { return kJson + ", \"x\": \"\\ud800\"}"; }, 0, "", 1, 64},
    {"AnEndlessLoopThatAppends", "a.sh", [] { return "while set -e; do ARGS+=(a b c); done\ntorchrun --nproc-per-node 8 train.py\n"s; }, 0, "", 2, 128},
    {"HalfASurrogateInYaml", "a.yaml", [] { return kFlags + "x: \"\\ud800\"\n"; }, 1, "syntax-error", 1, 64},
    {"HalfASurrogateInToml", "a.toml", [] { return kToml + "x = \"\\ud800\"\n"; }, 1, "syntax-error", 1, 64},
    {"InvalidUtf8InJson", "a.json", [] { return kJson + ", \"x\": \"\xC3\x28\"}"; }, 1, "byte 0xC3 is not valid UTF-8", 1, 64},
    {"InvalidUtf8InScript", "a.sh", [] { return "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 \xC3\x28 --tensor-model-parallel-size 3\n"s; }, 0, "", 1, 64},
    {"Utf16", "a.yaml", [] { return "\xFF\xFE"s + "a\0:\0 \0b\0"s; }, 1, "this file is UTF-16", 1, 64},
  };
  return kAll;
}
// clang-format on

class Bombs : public testing::TestWithParam<std::size_t> {};

TEST_P(Bombs, EndSoon) {
  const Bomb& bomb = bombs()[GetParam()];
  Folder folder;
  folder.write(bomb.file, bomb.text());
  std::vector<std::string> arguments{"check", "--jobs", "1", bomb.file};
  arguments.insert(arguments.end(), bomb.more.begin(), bomb.more.end());
  const Ended ended = run(folder, arguments, {.seconds = bomb.seconds, .mebibytes = bomb.mebibytes});
  EXPECT_EQ(ended.how(), fmt::format("exit {}", bomb.code)) << ended.err.substr(0, 500) << ended.out.substr(0, 500);
  EXPECT_NE((ended.out + ended.err).find(bomb.says), std::string::npos) << ended.err.substr(0, 500) << ended.out.substr(0, 800);
  EXPECT_LT(ended.out.size(), 1u << 20) << "nobody reads so much";
}

std::string bomb_name(const testing::TestParamInfo<std::size_t>& info) { return bombs()[info.param].name; }
INSTANTIATE_TEST_SUITE_P(Robust, Bombs, testing::Range(std::size_t{0}, bombs().size()), bomb_name);

// ---- numbers that nobody means

TEST(RobustNumbers, AreBorneByEveryField) {
  Folder folder;
  const char* numbers[] = {"9223372036854775807",
                           "9223372036854775808",
                           "-9223372036854775808",
                           "18446744073709551616",
                           "1e400",
                           ".nan",
                           "-.inf",
                           "0",
                           "-1",
                           "4611686018427387904",
                           "0x7fffffffffffffff",
                           "1_000_000_000_000_000_000_000",
                           "nan",
                           "-inf",
                           "1e308"};
  const char* fields[] = {"tp",    "pp",    "cp",         "ep",          "layers",       "hidden",
                          "heads", "vocab", "seq_length", "micro_batch", "global_batch", "world_size"};
  for (const char* number : numbers)
    for (const char* command : {"check", "plan"}) {
      std::string text;
      for (const char* field : fields) text += fmt::format("{} = {}\n", field, number);
      folder.write("plan.toml", text);
      const Ended all = run(folder, {command, "--framework", "plan", "plan.toml"}, {.seconds = 2, .mebibytes = 128});
      EXPECT_TRUE(all.code >= 0 && all.code <= 2) << number << " " << all.how() << all.err;
      std::string flags = kFlags;
      for (const char* flag : {"--num-layers: 32", "--hidden-size: 4096", "--global-batch-size: 64"}) {
        const std::string key(flag, std::string_view(flag).find(' '));
        flags.replace(flags.find(flag), std::string_view(flag).size(), fmt::format("{} {}", key, number));
      }
      folder.write("flags.yaml", flags);
      const Ended some = run(folder, {command, "--nodes", "640", "--gpus-per-node", "8", "flags.yaml"}, {.seconds = 2, .mebibytes = 128});
      EXPECT_TRUE(some.code >= 0 && some.code <= 2) << number << " " << some.how() << some.err;
    }
}

TEST(RobustNumbers, AHundredThousandLayers) {
  Folder folder;
  std::string text = kFlags;
  text.replace(text.find("--num-layers: 32"), 16, "--num-layers: 100000");
  text.replace(text.find("--pipeline-model-parallel-size: 2"), 33, "--pipeline-model-parallel-size: 100000");
  folder.write("flags.yaml", text);
  for (const char* command : {"check", "plan"}) {
    const Ended ended = run(folder, {command, "--world-size", "200000", "flags.yaml"}, {.seconds = 4, .mebibytes = 512});
    EXPECT_TRUE(ended.code == 0 || ended.code == 1) << command << " " << ended.how() << ended.err;
  }
  // A layout that names every layer, and one that says so in a few letters.
  for (const std::string& layout : {"Et" + repeated("t|", 99'999) + "L", "E(t|)*99999tL"s, "E((((t*10)*10)*10)*10)*10L"s,
                                    repeated("(", 100'000), repeated("t*", 100'000)}) {
    folder.write("flags.yaml", text + "  --pipeline-model-parallel-layout: \"" + layout + "\"\n");
    const Ended ended = run(folder, {"check", "--world-size", "200000", "flags.yaml"}, {.seconds = 4, .mebibytes = 512});
    EXPECT_TRUE(ended.code == 0 || ended.code == 1) << layout.substr(0, 30) << " " << ended.how() << ended.err;
  }
}

// ---- files that include each other

TEST(RobustIncludes, CirclesEnd) {
  Folder folder;
  folder.write(
      "rl.yaml",
      "defaults: other.yaml\npolicy: {dtensor_cfg: {tensor_parallel_size: 2}}\ngrpo: {num_prompts_per_step: 8}\ncluster: {num_nodes: 1}\n");
  folder.write("other.yaml", "defaults: rl.yaml\n");
  folder.write(
      "hydra.yaml",
      "defaults: [hydra, _self_]\nactor_rollout_ref: {actor: {strategy: fsdp}}\ntrainer: {nnodes: 1}\ndata: {train_batch_size: 8}\n");
  folder.write("mine.yaml",
               "work_group: x\nuser_name: x\nexp_name: x\nextends: [mine.yaml]\nmodules: {pre_trainer: {framework: megatron, config: "
               "pre.yaml, model: m.yaml}}\n");
  folder.write("base.yml", "base_config: base.yml\nrun_name: x\nmodel_name: llama2-7b\nper_device_batch_size: 1\n");
  for (const char* file : {"rl.yaml", "hydra.yaml", "mine.yaml", "base.yml", "."}) {
    const Ended ended = run(folder, {"check", file}, {.seconds = 2, .mebibytes = 128});
    EXPECT_TRUE(ended.code == 0 || ended.code == 1) << file << " " << ended.how() << ended.err << ended.out;
  }
  EXPECT_NE(run(folder, {"check", "rl.yaml"}).out.find("includes itself"), std::string::npos);
}

// A thousand files, each of which includes the next twice.
TEST(RobustIncludes, ChainsEnd) {
  Folder folder;
  for (int i = 0; i < 1000; ++i)
    folder.write(fmt::format("c{}.yaml", i),
                 fmt::format("defaults: [c{}.yaml, c{}.yaml]\ncluster: {{num_nodes: 1}}\npolicy: {{a: 1}}\ngrpo: {{}}\n", i + 1, i + 1));
  folder.write("c1000.yaml", "cluster: {num_nodes: 1}\n");
  const Ended ended = run(folder, {"check", "--framework", "nemo-rl", "c0.yaml"}, {.seconds = 4, .mebibytes = 512});
  EXPECT_TRUE(ended.code == 0 || ended.code == 1) << ended.how() << ended.err;
}

// ---- the same text in other bytes: the same findings

// How it ends, and where something is found.
std::string findings_of(const Folder& folder, const std::string& name, const std::string& text) {
  folder.write(name, text);
  const Ended ended = run(folder, {"check", "--world-size", "8", name}, {.seconds = 1, .mebibytes = 64});
  std::string out;
  for (std::size_t at = ended.out.find(name + ":"); at != std::string::npos; at = ended.out.find(name + ":", at + 1))
    out += ended.out.substr(at, ended.out.find_first_of("\n ", at) - at) + "\n";
  return ended.how() + "\n" + out;
}

TEST(RobustBytes, LineEndingsAndMarksChangeNothing) {
  Folder folder;
  std::string flags = kFlags;
  flags.replace(flags.find("--num-attention-heads: 32"), 25, "--num-attention-heads: 33");
  const std::string script =
      "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 \\\n  --num-attention-heads 7 "
      "--micro-batch-size 1 --seq-length 1024 --max-position-embeddings 1024\n";
  const struct {
    std::string name, text, behind;  // `behind`: a comment with U+2028, U+2029 and U+0085, which end no line
  } files[] = {{"a.yaml", flags, "# \xE2\x80\xA8 \xE2\x80\xA9 \xC2\x85\n"},
               {"a.toml", kToml + "no_such_key = 1\n", "# \xE2\x80\xA8 \xE2\x80\xA9 \xC2\x85\n"},
               {"a.json", kJson + ",\n\"fp16\": {\"enabled\": true}, \"bf16\": {\"enabled\": true}}\n", ""},
               {"a.sh", script, "# \xE2\x80\xA8 \xE2\x80\xA9 \xC2\x85\n"}};
  for (const auto& [name, text, behind] : files) {
    const std::string expected = findings_of(folder, name, text);
    EXPECT_NE(expected.find("exit 1\n" + name + ":"), std::string::npos) << expected;
    std::string windows;
    for (const char c : text) windows += c == '\n' ? "\r\n"s : std::string(1, c);
    if (name != "a.sh") {  // bash itself minds them
      EXPECT_EQ(findings_of(folder, name, windows), expected);
    }
    if (name == "a.yaml" || name == "a.json") {  // Python's TOML minds it
      EXPECT_EQ(findings_of(folder, name, "\xEF\xBB\xBF" + text), expected);
    }
    EXPECT_EQ(findings_of(folder, name, text + behind), expected);
  }
}

// ---- settings, which come with a repository as everything else does

TEST(RobustSettings, BombsInThemEnd) {
  Folder folder;
  folder.write("a.yaml", kFlags);
  folder.write(std::string(200, 'a') + ".yaml", kFlags);
  const std::pair<const char*, std::string> bombs[] = {
      {"parentheses", "[[constraint]]\nname = \"x\"\nrequire = \"" + repeated("(", 100'000) + "1\"\n"},
      {"negations", "[[constraint]]\nname = \"x\"\nrequire = \"" + repeated("not ", 100'000) + "true\"\n"},
      {"a long sum", "[[constraint]]\nname = \"x\"\nrequire = \"" + repeated("tp + ", 100'000) + "1 > 0\"\n"},
      {"calls", "[[constraint]]\nname = \"x\"\nrequire = \"" + repeated("min(1, ", 100'000) + "\"\n"},
      {"stars", "[[per-path]]\nfiles = [\"" + repeated("*a", 60) + "b\", \"" + repeated("**/", 60) + "b\"]\n"},
      {"tables", repeated("[[per-path]]\nfiles = [\"b\"]\n", 50'000)},
      {"runs", repeated("[[run]]\nname = \"x\"\nfiles = [\"a.yaml\"]\n", 2'000)},
      {"nesting", "x = " + repeated("[", 100'000)},
      {"numbers", "[cluster]\nnodes = 9223372036854775807\ngpus_per_node = 9223372036854775807\nworld_size = 9223372036854775807\n"},
  };
  for (const auto& [what, text] : bombs) {
    folder.write("shardlint.toml", text);
    const Ended ended = run(folder, {"check"}, {.seconds = 8, .mebibytes = 512});
    EXPECT_TRUE(ended.code >= 0 && ended.code <= 2) << what << ": " << ended.how() << ended.err.substr(0, 500);
    EXPECT_LT(ended.out.size() + ended.err.size(), 1u << 20) << what;
    EXPECT_EQ(ended.err.find("fault in shardlint"), std::string::npos) << what << ": " << ended.err.substr(0, 500);
  }
}

}  // namespace
}  // namespace shardlint::test
