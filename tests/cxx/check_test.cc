// C++ through the engine: findings with their places, fixes, ignores, mistakes in bindings, and what is said when a unit cannot be read.
#include <fmt/ranges.h>

#include "checker/engine/bindings.h"
#include "checker/fix/writer.h"
#include "tests/cxx/project.h"
#include "tests/where.h"

namespace shardlint {
namespace {

TEST_F(CheckCxx, FindsWhatThePlanBreaksAndMendsTheLiteral) {
  put("main.cpp", "#include \"plan.h\"\nquarry::Plan make() {\n  return {.wide = 8u, .deep = 4,\n          .crew = 1'048};\n}\n");
  const CheckResult result = check({"main.cpp"});
  EXPECT_EQ(lines(result), "main.cpp:4 error topology/model-parallel-does-not-divide-world [make]\n");
  ASSERT_FALSE(result.findings.empty());
  CheckOptions options;
  options.paths = {path("main.cpp")};
  const Fixed fixed = fix(Disk(), options, true);
  EXPECT_EQ(lines(fixed.left), "");
  ASSERT_EQ(fixed.texts.size(), 1u);
  EXPECT_NE(fixed.texts.begin()->second.second.find("{.wide = 8u, .deep = "), std::string::npos) << fixed.texts.begin()->second.second;
}

TEST_F(CheckCxx, SaysWhoseDefaultItIs) {
  put("main.cpp", "#include \"plan.h\"\nquarry::Plan make() {\n  return {.wide = 8, .deep = 5};\n}\n");
  const CheckResult result = check({"main.cpp"});
  ASSERT_EQ(result.findings.size(), 1u) << lines(result);
  std::string notes;
  for (const Note& note : result.findings[0].notes)
    notes += note.message + (note.place ? fmt::format(" {}", fs::path(note.place.source->path()).filename().string()) : "") + "\n";
  EXPECT_NE(notes.find("crew is 8 plan.h\n"), std::string::npos) << notes;
}

TEST_F(CheckCxx, OffersAnInitialiserForWhatIsLeftOut) {
  put("main.cpp", "#include \"plan.h\"\nquarry::Plan make() { return {.wide = 8, .deep = 2}; }\n");
  const CheckResult result = check({"main.cpp"});
  ASSERT_EQ(result.findings.size(), 1u) << lines(result);
  std::string texts;
  for (const Fix& one : result.findings[0].fixes)
    for (const Edit& edit : one.edits) texts += edit.text + "|";
  EXPECT_NE(texts.find(", .crew = 16|"), std::string::npos) << texts;
}

TEST_F(CheckCxx, ConstantsThatOthersReadAreLeftAlone) {
  put("main.cpp",
      "#include \"plan.h\"\nconstexpr int kWide = 3;\nint other() { return kWide; }\nquarry::Plan make() {\n  return {.wide = kWide, .deep "
      "= 1, .crew = 8};\n}\n");
  const CheckResult result = check({"main.cpp"});
  ASSERT_EQ(result.findings.size(), 1u) << lines(result);
  for (const Fix& one : result.findings[0].fixes)
    for (const Edit& edit : one.edits) EXPECT_NE(edit.source->position(edit.range.begin).line, 2u);
  std::string notes;
  for (const Note& note : result.findings[0].notes) notes += note.message + "\n";
  EXPECT_NE(notes.find("kWide is used in 2 places, so no edit is offered"), std::string::npos) << notes;
}

TEST_F(CheckCxx, IgnoresSilence) {
  put("main.cpp",
      "#include \"plan.h\"\nquarry::Plan make() {\n  return {.wide = 8, .deep = 4,\n          // shardlint: ignore[topology] a dry run\n   "
      "       .crew = 48};\n}\n");
  const CheckResult result = check({"main.cpp"});
  EXPECT_EQ(lines(result), "");
  EXPECT_EQ(result.suppressed, 1u);
}

TEST_F(CheckCxx, OnlyUnitsThatNameABoundTypeAreRead) {
  put("a/main.cpp", "#include \"../plan.h\"\nquarry::Plan make() { return {.wide = 3}; }\n");
  put("b/other.cpp", "int main() { return 0; }\n");
  const CheckResult result = check({"."});
  EXPECT_EQ(lines(result), "main.cpp:2 error topology/model-parallel-does-not-divide-world [make]\n");
  EXPECT_EQ(result.files, 1u);
  EXPECT_EQ(check({"b/other.cpp"}).remarks.size(), 1u);
}

TEST_F(CheckCxx, FlagsOfTheDatabaseDecide) {
  put("main.cpp",
      "#include \"plan.h\"\n#ifdef BIG\nquarry::Plan make() { return {.wide = 3}; }\n#else\nquarry::Plan make() { return {.wide = 4}; "
      "}\n#endif\n");
  EXPECT_EQ(lines(check({"main.cpp"})), "");
  put("compile_commands.json",
      fmt::format("[{{\"directory\": \"{}\", \"command\": \"c++ -std=c++20 -DBIG -o main.o -c main.cpp\", \"file\": \"main.cpp\"}}]",
                  folder_.string()));
  EXPECT_EQ(lines(check({"main.cpp"})), "main.cpp:3 error topology/model-parallel-does-not-divide-world [make]\n");
}

TEST_F(CheckCxx, MistakesInABindingStandInIt) {
  put("shardlint.bindings.toml", kBinding + "flors = \"heads\"\ndeep2 = \"heds\"\n");
  put("main.cpp", "#include \"plan.h\"\nquarry::Plan make() { return {}; }\n");
  const CheckResult result = check({"main.cpp"});
  EXPECT_EQ(lines(result),
            "shardlint.bindings.toml:13 error hygiene/bad-binding []\nshardlint.bindings.toml:14 error hygiene/bad-binding []\n"
            "shardlint.bindings.toml:14 error hygiene/bad-binding []\n");
  std::string messages;
  for (const Finding& finding : result.findings) messages += finding.message + "\n";
  EXPECT_NE(messages.find("quarry::Plan has no member flors; the nearest is floors"), std::string::npos) << messages;
  EXPECT_NE(messages.find("a plan has no field heds; did you mean heads?"), std::string::npos) << messages;
}

TEST_F(CheckCxx, NumbersThatTheirTypeCannotHold) {
  put("main.cpp",
      "#include <cstdint>\nnamespace quarry { struct Plan { std::uint8_t wide = 1; unsigned deep : 3 = 1; int crew = 8; unsigned floors = "
      "24; }; }\n"
      "quarry::Plan a() { quarry::Plan p; p.wide = 300;\n  p.deep = 9;\n  return p; }\n"
      "quarry::Plan b() { quarry::Plan p; p.crew = 2.5; return p; }\n"
      "quarry::Plan meant() { quarry::Plan p; p.wide = static_cast<std::uint8_t>(300); p.floors = -1; return p; }\n"
      "quarry::Plan fits() { quarry::Plan p; p.wide = 8; p.deep = 1; p.crew = 8.0; return p; }\n");
  const CheckResult result = check({"main.cpp"});
  EXPECT_EQ(lines(result),
            "main.cpp:3 warning hygiene/value-does-not-fit []\nmain.cpp:4 warning hygiene/value-does-not-fit []\n"
            "main.cpp:6 warning hygiene/value-does-not-fit []\n");
  EXPECT_EQ(said(result),
            "wide is given 300, which does not fit std::uint8_t (0 to 255): it becomes 44\n"
            "deep is given 9, which does not fit unsigned int of 3 bits (0 to 7): it becomes 1\n"
            "crew is given 2.5, which does not fit int (whole numbers): it becomes 2\n");
  EXPECT_EQ(field(result, "a", "tp") + field(result, "a", "pp") + field(result, "meant", "tp") + field(result, "fits", "tp"), "???8");
}

TEST_F(CheckCxx, RulesOfTheBindingUseTheConstraintLanguage) {
  put("shardlint.bindings.toml",
      "version = 1\n[framework]\nname = \"brook\"\ninterleaved_needs = \"num_microbatches % pp == 0\"\n"
      "[framework.overlap]\n\"overlap.p2p\" = { needs = { schedule = [\"interleaved\"] } }\n"
      "[[type]]\nname = \"quarry::Plan\"\nrole = \"plan\"\n[type.fields]\ndeep = \"pp\"\nchunks = \"vpp\"\nbatches = "
      "\"num_microbatches\"\nsends = \"overlap.p2p\"\n"
      "[type.derive]\ntp = \"world_size / dp\"\n");
  put("main.cpp",
      "namespace quarry { struct Plan { int deep = 4, chunks = 1, batches = 8; bool sends = false; }; }\n"
      "quarry::Plan a() { return {.chunks = 2,\n  .batches = 6}; }\n"
      "quarry::Plan b() { return {\n  .sends = true}; }\n");
  EXPECT_EQ(lines(check({"main.cpp"})),
            "main.cpp:3 error brook/interleaving-needs [a]\nmain.cpp:5 error brook/overlap-p2p-needs-schedule [b]\n");
}

TEST_F(CheckCxx, TensorRtLlmIsBoundFromTheStart) {
  put("worldConfig.h",
      "#pragma once\n#include <optional>\nnamespace tensorrt_llm::runtime {\nclass WorldConfig {\n public:\n"
      "  explicit WorldConfig(int tensorParallelism = 1, int pipelineParallelism = 1, int contextParallelism = 1, int rank = 0, int "
      "gpusPerNode = 8);\n"
      "  static WorldConfig mpi(int gpusPerNode = 8, std::optional<int> tensorParallelism = std::nullopt, std::optional<int> "
      "pipelineParallelism = std::nullopt);\n"
      "};\n}\n");
  put("main.cpp",
      "#include \"worldConfig.h\"\nusing tensorrt_llm::runtime::WorldConfig;\n"
      "auto wide() { return WorldConfig{16, 2}; }\nauto fine() { return WorldConfig::mpi(8, 4); }\n");
  const CheckResult result = check({"main.cpp"});
  EXPECT_EQ(lines(result), "main.cpp:3 warning topology/tensor-group-leaves-nvlink-domain [wide]\n");
  ASSERT_EQ(result.plans.size(), 2u);
  EXPECT_EQ(result.plans[0].title, "TensorRT-LLM");
}

TEST_F(CheckCxx, FlagDefaultsWarn) {
  put("shardlint.bindings.toml",
      "version = 1\n[framework]\nname = \"chorus\"\n[[flags]]\nstyle = \"gflags\"\n[flags.map]\nwide = \"tp\"\ncrew = \"world_size\"\n");
  put("main.cpp",
      "#include <gflags/gflags.h>\nDEFINE_int32(wide, 3, \"\");\nDEFINE_int32(crew, 8, \"\");\n"
      "int main(int argc, char **argv) { gflags::ParseCommandLineFlags(&argc, &argv, true); return FLAGS_wide; }\n");
  const CheckResult result = check({"main.cpp"});
  EXPECT_EQ(lines(result), "main.cpp:3 warning topology/model-parallel-does-not-divide-world [flags]\n");
  put("main.cpp",
      "#include <gflags/gflags.h>\nDEFINE_int32(wide, 3, \"\");\nDEFINE_int32(crew, 8, \"\");\nint main() { return FLAGS_wide; }\n");
  EXPECT_EQ(lines(check({"main.cpp"})), "main.cpp:3 error topology/model-parallel-does-not-divide-world [flags]\n");
}

// A trainer as InfiniTrain's examples are written: flags, a table of presets, one call that starts all, a wrapper's configuration. Without
// its headers the flags are still there; with them the presets and the call are too.
TEST_F(CheckCxx, ATrainerIsReadWithAndWithoutItsHeaders) {
  put("example/gpt2/main.cc", R"cpp(#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>

#include "gflags/gflags.h"
#include "glog/logging.h"

#include "infini_train/include/nn/modules/transformer/transformer_config.h"
#include "infini_train/include/nn/parallel/ddp/distributed_data_parallel_config.h"
#include "infini_train/include/nn/parallel/global.h"

                                    DEFINE_string(device, "cuda", "where it runs");
                                    DEFINE_uint32(batch_size, 4, "sequences");
                                    DEFINE_uint32(sequence_length, 64, "tokens");
                                    DEFINE_uint32(total_batch_size, 1000, "tokens in a step");
                                    DEFINE_int32(nthread_per_process, 1, "threads");
                                    DEFINE_uint32(tensor_parallel, 1, "ways");
                                    DEFINE_bool(sequence_parallel, false, "split the sequence");
                                    DEFINE_uint32(pipeline_parallel, 1, "stages");
                                    DEFINE_uint32(virtual_pipeline_parallel, 1, "chunks");
                                    DEFINE_string(dtype, "float32", "float32 or bfloat16");
                                    DEFINE_validator(device, [](const char*, const std::string& value) { return value == "cpu" || value == "cuda"; });

                                    using namespace infini_train;

                                    namespace {
                                    const std::unordered_map<std::string, nn::TransformerConfig> kModelConfigs = {
                                        {"d12", {.block_size = 1024, .vocab_size = 50257, .n_layer = 12, .n_head = 12, .n_embd = 768}},
                                        {"d24", {.block_size = 1024, .vocab_size = 50257, .n_layer = 24, .n_head = 16, .n_embd = 1024}},
                                    };
                                    }  // namespace

                                    void Train(const nn::parallel::Rank& rank) {
                                      using namespace nn::parallel;
                                      const int replicas = global::GetDataParallelSize();
                                      LOG(INFO) << "replicas: " << replicas;
                                      auto config = DistributedDataParallelConfig{.zero_stage = 1};
                                      CHECK_EQ(FLAGS_total_batch_size % FLAGS_batch_size, 0);
                                    }

                                    int main(int argc, char* argv[]) {
                                      gflags::ParseCommandLineFlags(&argc, &argv, true);
                                      google::InitGoogleLogging(argv[0]);
                                      nn::parallel::global::InitAllEnv(FLAGS_nthread_per_process, FLAGS_tensor_parallel,
                                                                       FLAGS_sequence_parallel, FLAGS_pipeline_parallel,
                                                                       FLAGS_virtual_pipeline_parallel);
                                      return 0;
                                    }
  )cpp");
  CheckResult result = check({"example/gpt2/main.cc"});
  EXPECT_EQ(lines(result), "main.cc:16 warning infinitrain/step-tokens-not-divisible [flags]\n");
  EXPECT_EQ(field(result, "flags", "micro_batch") + field(result, "flags", "tp") + field(result, "flags", "precision"), "41fp32");
  EXPECT_EQ(field(result, "flags", "world_size"), "?");

  put("infini_train/include/nn/modules/transformer/transformer_config.h",
      "#pragma once\n#include <cstdint>\nnamespace infini_train::nn {\nstruct TransformerConfig {\n  int64_t block_size = 1024, vocab_size "
      "= 50304;\n"
      "  int64_t n_layer = 12, n_head = 12;\n  int64_t n_kv_head = 12;\n  int64_t n_embd = 768;\n  bool tie_weights = true;\n};\n}\n");
  put("infini_train/include/nn/parallel/ddp/distributed_data_parallel_config.h",
      "#pragma once\nnamespace infini_train::nn::parallel {\nstruct DistributedDataParallelConfig {\n  bool overlap_grad_reduce = true;\n"
      "  bool overlap_param_gather = true;\n  int zero_stage = 0;\n};\n}\n");
  put("infini_train/include/nn/parallel/global.h",
      "#pragma once\nnamespace infini_train::nn::parallel {\nclass Rank;\n}\nnamespace infini_train::nn::parallel::global {\nint "
      "GetDataParallelSize();\n"
      "inline void InitAllEnv(int nthread_per_process, int tensor_parallel_size, bool sequence_parallel_enabled, int "
      "pipeline_parallel_size, "
      "int virtual_pipeline_parallel) {}\n}\n");
  put("shardlint.toml", "");
  result = check({"example/gpt2/main.cc"});
  EXPECT_EQ(lines(result),
            "main.cc:30 error infinitrain/heads-not-divisible-by-kv-heads [kModelConfigs[d24]]\n"
            "main.cc:16 warning infinitrain/step-tokens-not-divisible [program]\n");
  EXPECT_EQ(field(result, "program", "overlap.param_gather") + field(result, "program", "zero_stage") + field(result, "program", "tp"),
            "true11");
}

// ---- without the front end

// As it is where Clang's libraries are not: said once, and everything else goes on.
TEST(NoReader, IsSaidOnce) {
  const test::Folder folder;
  fs::create_directory(folder / "bin");
  fs::copy_file(SHARDLINT_BINARY, folder / "bin/shardlint");
  folder.write("shardlint.bindings.toml", kBinding);
  for (const char* name : {"a.cpp", "b.cpp", "c.cpp"})
    folder.write(name, "#include \"plan.h\"\nquarry::Plan make() { return {.wide = 3}; }\n");
  folder.write("run.yaml", "a: [\n");
  Process shell({"/bin/sh", "-c", fmt::format("cd {} && PATH= bin/shardlint check . run.yaml 2>&1; echo \"ended $?\"", folder.path())});
  const Ran ran = shell.ask(
      "\n", [](std::string_view output) { return output.find("ended ") != std::string_view::npos; }, 60000, 1 << 20);
  std::size_t said = 0;
  for (std::size_t at = ran.output.find("C++ is not read"); at != std::string::npos; at = ran.output.find("C++ is not read", at + 1))
    ++said;
  EXPECT_EQ(said, 1u) << ran.output;
  EXPECT_NE(ran.output.find("nor of those of 2 other files"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("syntax-error"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("ended 1"), std::string::npos) << ran.output;
}

TEST(CompileCommand, HasTheFoldersOfAProject) {
  Overlay files;
  files.put("/work/src/main.cpp", "");
  files.put("/work/include/plan.h", "");
  files.put("/work/.git/HEAD", "");
  const CompileCommand command = Builds(files).command("/work/src/main.cpp", {});
  EXPECT_EQ(fmt::format("{}", fmt::join(command.flags, " ")), "-std=c++20 -I/work/src -I/work/src -I/work/include -I/work");
  EXPECT_EQ(Builds(files).command("/work/src/main.cpp", {"-DX"}).flags, std::vector<std::string>{"-DX"});
}

TEST(CompileCommand, TakesTheDatabasesFlagsAndNobodysCode) {
  Overlay files;
  files.put("/work/src/main.cpp", "");
  files.put(
      "/work/build/compile_commands.json",
      R"([{"directory": "/work/build", "arguments": ["c++", "-I../include", "-Xclang", "-load", "-Xclang", "evil.so", "-fplugin=x.so", "-o", "m.o", "-c", "../src/main.cpp"], "file": "../src/main.cpp"}])");
  const CompileCommand command = Builds(files).command("/work/src/main.cpp", {});
  EXPECT_EQ(command.folder, "/work/build");
  EXPECT_EQ(fmt::format("{}", fmt::join(command.flags, " ")), "-I../include");
}

TEST(Process, AnswersAgainAndAgainWithinLimits) {
  const auto line = [](std::string_view output) { return output.ends_with('\n'); };
  Process cat({"/bin/cat"});
  EXPECT_EQ(cat.ask("some text\n", line, 5000, 100).output, "some text\n");
  const std::string much = std::string(1 << 20, 'x') + "\n";
  EXPECT_EQ(cat.ask(much, line, 10000, 2 << 20).output, much);
  EXPECT_EQ(cat.ask(much, line, 10000, 1000).how, Ran::How::TimedOut);
  EXPECT_FALSE(cat.running());
  EXPECT_EQ(cat.ask("again\n", line, 5000, 100).output, "again\n");
  EXPECT_TRUE(cat.running());

  const auto how = [&](std::vector<std::string> words, int timeout_ms) {
    return Process(std::move(words)).ask("question\n", line, timeout_ms, 10'000).how;
  };
  EXPECT_EQ(how({"/bin/sh", "-c", "kill -SEGV $$"}, 5000), Ran::How::Crashed);
  EXPECT_EQ(how({"/bin/sh", "-c", "exec sleep 60"}, 100), Ran::How::TimedOut);
  EXPECT_EQ(how({"/bin/sh", "-c", "while :; do printf much; done"}, 5000), Ran::How::TimedOut);
  EXPECT_EQ(how({"/no/such/program"}, 5000), Ran::How::NotThere);
  EXPECT_EQ(run_process({"/bin/cat"}, much, 10000, 2 << 20).output, much);
  EXPECT_EQ(run_process({"/bin/cat"}, "", 5000, 100).how, Ran::How::Ended);
  EXPECT_EQ(Process({"/bin/true"}).ask(much, line, 5000, 100).how, Ran::How::Ended);  // it never reads
}

TEST(Binding, KnowsItsWordsAndItsMistakes) {
  const auto read = [](const std::string& text) { return BindingFile(std::make_shared<const Source>("b.toml", text), ""); };
  EXPECT_TRUE(read(kBinding).mistakes().empty());
  EXPECT_TRUE(read(kBinding).mentioned_in("using P = quarry::Plan;"));
  EXPECT_FALSE(read(kBinding).mentioned_in("struct Planner; // PlanB"));
  const auto said = [&](const std::string& text) {
    const BindingFile file = read(text);
    return file.mistakes().empty() ? "" : file.mistakes()[0].message;
  };
  EXPECT_EQ(said("version = 2\n"), "this shardlint reads version 1 of binding files");
  EXPECT_EQ(said("[framwork]\nname = \"x\"\n"), "a binding has no key framwork here; did you mean framework?");
  EXPECT_EQ(said("[[type]]\nname = \"A\"\nrole = \"plann\"\n"), "role is one of plan, part, builder, model, not plann; did you mean plan?");
  EXPECT_EQ(said("[[type]]\nrole = \"plan\"\n"), "this table has no name");
  EXPECT_EQ(said("[[type]]\nname = \"A\"\n[type.derive]\nworld_size = \"tp *\"\n"),
            "tp * is no derivation: names of fields with + - * / between them");
  EXPECT_EQ(said("[framework]\nname = \"a\"\ninterleaved_needs = \"num_microbatch % pp == 0\"\n").substr(0, 24),
            "no field num_microbatch;");
  EXPECT_EQ(said("[[type]]\nname = \"A\"\n[[type.ctor]]\nparams = [\"wide\"]\nmap = { wid = \"tp\" }\n"),
            "wid is none of the parameters; did you mean wide?");
}

TEST(Binding, ThatComeWithShardlintAreSound) {
  EXPECT_EQ(built_in_bindings().size(), 2u);
  for (const BindingPtr& binding : built_in_bindings())
    for (const Finding& mistake : binding->mistakes()) ADD_FAILURE() << binding->name() << ": " << mistake.message;
}

TEST(CxxWriter, KeepsHowAValueIsSpelled) {
  const auto written = [](const std::string& now, const Value& to, CodeSpelling code = {}) -> std::string {
    const auto source = std::make_shared<const Source>("a.cpp", now);
    code.literal = {source, {0, static_cast<std::uint32_t>(now.size())}};
    const auto edits = code_spot(code)->write(to);
    return edits ? (*edits)[0].text : "none";
  };
  EXPECT_EQ(written("8", 16), "16");
  EXPECT_EQ(written("8u", 16), "16u");
  EXPECT_EQ(written("8ULL", 4), "4ULL");
  EXPECT_EQ(written("1'024", 16384), "16'384");
  EXPECT_EQ(written("0x10", 32), "0x20");
  EXPECT_EQ(written("0xFF", 250), "0xFA");
  EXPECT_EQ(written("0b100", 8), "0b1000");
  EXPECT_EQ(written("-1", 4), "4");
  EXPECT_EQ(written("017", 8), "none");
  EXPECT_EQ(written("8_ways", 4), "none");
  EXPECT_EQ(written("8u", -4), "none");
  EXPECT_EQ(written("true", false), "false");
  EXPECT_EQ(written("1.5f", 2.5), "2.5f");
  EXPECT_EQ(written("1.5", 2), "2.0");
  EXPECT_EQ(written("\"low\"", "high"), "\"high\"");
  CodeSpelling words;
  words.words = {{"interleaved", "kTurns"}};
  EXPECT_EQ(written("Order::kFill", "interleaved", words), "Order::kTurns");
  EXPECT_EQ(written("kFill", "interleaved", words), "kTurns");
  EXPECT_EQ(written("Order::kFill", "gpipe", words), "none");
  CodeSpelling turned;
  turned.inverted = true;
  EXPECT_EQ(written("true", true, turned), "false");
  EXPECT_EQ(written("kWide", 4), "none");
}

}  // namespace
}  // namespace shardlint
