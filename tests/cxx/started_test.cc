// Programs with the script that starts them: the words of the command and its launcher's counts join the plan, and what is wrong is said
// where it stands, in the script or in the C++.
#include "tests/cxx/project.h"

namespace shardlint {
namespace {

const std::string kFlags =
    "version = 1\n[framework]\nname = \"vigil\"\nuneven_stages = \"allowed\"\n"
    "[[flags]]\nstyle = \"gflags\"\nprograms = [\"keeper\"]\n[flags.map]\nways = \"tp\"\nstages = \"pp\"\nlanes = \"threads_per_process\"\n"
    "split = \"sp\"\nkind = { is = \"precision\", values = { low = \"bf16\", high = \"fp32\" } }\n";
const std::string kLauncher =
    "[launcher]\nprogram = \"boxrun\"\nflags = { boxes = \"nodes\", per_box = \"processes_per_node\" }\nenv = { BOX_PROCESSES = "
    "\"processes\" }\n"
    "derive = { processes = \"nodes * processes_per_node\", world_size = \"processes * threads_per_process\" }\n";
const std::string kKeeper =
    "#include <gflags/gflags.h>\nDEFINE_int32(ways, 1, \"\");\nDEFINE_int32(stages, 2, \"\");\nDEFINE_int32(lanes, 1, \"\");\n"
    "DEFINE_bool(split, false, \"\");\nDEFINE_string(kind, \"high\", \"\");\n"
    "int main(int argc, char **argv) { gflags::ParseCommandLineFlags(&argc, &argv, true); return FLAGS_ways; }\n";

class Started : public CheckCxx {
 protected:
  void SetUp() override {
    CheckCxx::SetUp();
    if (IsSkipped()) return;
    put("shardlint.bindings.toml", kFlags + kLauncher);
    put("keeper.cpp", kKeeper);
  }
  std::string fields(const CheckResult& result, const std::string& plan = "flags") {
    std::string out;
    for (const char* name : {"tp", "pp", "threads_per_process", "sp", "precision", "nodes", "processes", "world_size"})
      out += (out.empty() ? "" : " ") + field(result, plan, name);
    return out;
  }
};

TEST_F(Started, WordsOfTheCommandTakeTheFlagsPlaces) {
  put("run.sh",
      "#!/bin/bash\nWAYS=4\n./boxrun --boxes=2 --master 10.0.0.1 --per_box 1 -- ./keeper \\\n  --lanes=8 -ways $WAYS --stages 3 --split "
      "--kind=low\n");
  const CheckResult result = check({"run.sh"});
  EXPECT_EQ(fields(result), "4 3 8 true bf16 2 2 16");
  EXPECT_EQ(lines(result), "run.sh:3 error topology/model-parallel-does-not-divide-world [flags]\n");
  ASSERT_EQ(result.findings.size(), 1u);
  std::string notes, fixes;
  for (const Note& note : result.findings[0].notes)
    if (note.place) notes += fmt::format("{}:{} ", note.message, note.place.source->position(note.place.range.begin).line);
  for (const Fix& one : result.findings[0].fixes)
    for (const Edit& edit : one.edits) fixes += fmt::format("{}>{} ", edit.source->text(edit.range), edit.text);
  EXPECT_NE(notes.find("WAYS"), std::string::npos) << notes;
  EXPECT_NE(fixes.find("3>4 "), std::string::npos) << fixes;
  // Both files at once: the program is judged once, as it is started.
  const CheckResult both = check({"."});
  EXPECT_EQ(lines(both), lines(result));
  EXPECT_EQ(std::count_if(both.plans.begin(), both.plans.end(), [](const PlanReport& plan) { return plan.name == "flags"; }), 1);
}

// Of many plans a page of text shows none, and they are not kept; the program's own, which is dropped where a script starts it, is not one.
TEST_F(Started, FourPlansAreShownOnAPage) {
  std::string script;
  for (int ways : {1, 2, 4, 8}) script += fmt::format("./boxrun --boxes=2 --per_box 8 -- ./keeper --ways {}\n", ways);
  put("run.sh", script);
  CheckOptions options;
  options.brief = true;
  for (unsigned jobs : {2u, 1u}) {
    options.jobs = jobs;
    const CheckResult result = check({"."}, options);
    ASSERT_EQ(result.plans.size(), 4u);
    for (const PlanReport& plan : result.plans) EXPECT_FALSE(plan.fields.empty());
  }
  put("z.sh", script);
  for (const PlanReport& plan : check({"."}, options).plans) EXPECT_EQ(plan.fields.empty(), plan.file.ends_with("z.sh")) << plan.file;
}

TEST_F(Started, DefaultsThatTheCommandLeavesAloneAreCertain) {
  put("run.sh", "./boxrun --boxes 1 --per_box 3 -- ./keeper --nosplit --ways=1\n");
  const CheckResult result = check({"run.sh"});
  EXPECT_EQ(fields(result), "1 2 1 false fp32 1 3 3");
  // The default is what breaks it, and the command says the world: an error, in either file.
  EXPECT_EQ(lines(result), "run.sh:1 error topology/model-parallel-does-not-divide-world [flags]\n");
  std::string notes;
  for (const Note& note : result.findings.at(0).notes)
    if (note.place) notes += note.message + " " + fs::path(note.place.source->path()).filename().string() + "\n";
  EXPECT_NE(notes.find("keeper.cpp"), std::string::npos) << notes;
}

// A switch is turned where it stands, whatever its default is; words are written as the program spells them.
TEST_F(Started, WordsAreWrittenAsTheProgramReadsThem) {
  const auto written = [&](const std::string& word, std::size_t index, bool direct, bool negated,
                           std::map<std::string, std::string> spellings, const Value& to) -> std::string {
    const auto source = std::make_shared<const Source>("run.sh", "mpirun -n 2 ./keeper " + word + "\n");
    const Disk disk;
    launch::Reading reading = launch::read(disk, source, {".", {}, {}, {}});
    if (reading.trainings.size() != 1) return "no training";
    Fact fact;
    launch::locate(fact, reading.trainings[0], {index, direct, negated, false, std::move(spellings)});
    const auto edits = fact.spot ? fact.spot->write(to) : std::nullopt;
    return edits ? apply(*source, *edits).value_or("?").substr(21) : "none";
  };
  EXPECT_EQ(written("--split", 0, true, false, {}, false), "--split=false\n");
  EXPECT_EQ(written("--nosplit", 0, true, true, {}, true), "--split\n");
  EXPECT_EQ(written("-split=true", 0, true, false, {}, false), "-split=false\n");
  EXPECT_EQ(written("--ways 4 --x", 1, true, false, {}, 2), "--ways 2 --x\n");
  EXPECT_EQ(written("--ways=4", 0, false, false, {}, 2), "none");
  EXPECT_EQ(written("--kind=low", 0, true, false, {{"fp32", "high"}}, "fp32"), "--kind=high\n");
  EXPECT_EQ(written("--kind=low", 0, true, false, {{"fp32", "high"}}, "fp16"), "none");
}

TEST_F(Started, WhatTheCommandHidesIsUnknown) {
  const auto with = [&](const std::string& script) {
    put("run.sh", script);
    return fields(check({"run.sh"}));
  };
  const std::string start = "./boxrun --boxes=1 --per_box=8 -- ./keeper ";
  EXPECT_EQ(with(start + "--ways=4 $(cat more)\n"), "? ? ? ? ? 1 8 ?");
  EXPECT_EQ(with(start + "$(cat more) --ways=4 --lanes=1\n"), "4 ? 1 ? ? 1 8 8");
  EXPECT_EQ(with(start + "--ways=$(cat ways) --lanes=2\n"), "? 2 2 false fp32 1 8 16");
  EXPECT_EQ(with(start + "--ways $(cat ways) --lanes=2\n"), "? 2 2 false fp32 1 8 16");
  EXPECT_EQ(with(start + "--flagfile=all.flags\n"), "? ? ? ? ? 1 8 ?");
  EXPECT_EQ(with(start + "--ways=2 --ways=4 -- --ways=8\n"), "4 2 1 false fp32 1 8 8");
  EXPECT_EQ(with(start + "--ways=four\n"), "? 2 1 false fp32 1 8 8");
  EXPECT_EQ(with(start + "\"$@\"\n"), "1 2 1 false fp32 1 8 8");
  EXPECT_EQ(with("./boxrun --boxes=$BOXES --per_box=8 -- ./keeper --ways=4\n"), "4 2 1 false fp32 ? ? ?");
}

TEST_F(Started, VariablesOfTheLaunchersAreItsCounts) {
  put("run.sh", "export BOX_PROCESSES=6\n./keeper --ways 4 --lanes=1\n");
  const CheckResult result = check({"run.sh"});
  EXPECT_EQ(field(result, "flags", "world_size"), "6");
  EXPECT_EQ(lines(result), "run.sh:1 error topology/model-parallel-does-not-divide-world [flags]\n");
  // Another launcher gives this program none of the variables that it counts by.
  put("run.sh", "mpirun -np 6 ./keeper --ways 4\n");
  EXPECT_EQ(field(check({"run.sh"}), "flags", "world_size"), "?");
}

TEST_F(Started, OtherLaunchersStartOneRankAProcess) {
  put("shardlint.bindings.toml", kFlags);
  const auto world = [&](const std::string& script) {
    put("run.sh", script);
    const CheckResult result = check({"run.sh"});
    return field(result, "flags", "world_size") + " " + field(result, "flags", "tp");
  };
  EXPECT_EQ(world("mpirun -np 8 ./keeper --ways 4\n"), "8 4");
  EXPECT_EQ(world("mpirun -n 8 keeper --ways 4\n"), "8 4");
  EXPECT_EQ(world("srun --ntasks=16 ./keeper --ways=2\n"), "16 2");
  EXPECT_EQ(world("torchrun --no-python --nnodes=2 --nproc-per-node=4 ./keeper --ways=2\n"), "8 2");
  EXPECT_EQ(world("#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\nsrun build/keeper --ways=2\n"), "16 2");
}

TEST_F(Started, AProgramIsFoundByItsBuild) {
  fs::remove(folder_ / "keeper.cpp");
  put("shardlint.bindings.toml", kFlags);
  put("src/watch/main.cpp", kKeeper);
  const auto ways = [&](const std::string& program) {
    put("scripts/run.sh", "mpirun -np 8 " + program + " --ways 4\n");
    put("shardlint.toml", "");
    return field(check({"scripts/run.sh"}), "flags", "tp");
  };
  EXPECT_EQ(ways("build/tower"), "-");
  put("CMakeLists.txt", "project(vigil)\n# add_executable(tower nothing.cpp)\nadd_executable(tower ${MORE} src/watch/main.cpp)\n");
  EXPECT_EQ(ways("build/tower"), "4");
  fs::remove(folder_ / "CMakeLists.txt");
  EXPECT_EQ(ways("build/watch"), "4");  // main.cpp in a folder of its name
  put("build/compile_commands.json",
      fmt::format("[{{\"directory\": \"{0}/build\", \"command\": \"c++ -std=c++20 -o CMakeFiles/steeple.dir/src/watch/main.cpp.o -c "
                  "{0}/src/watch/main.cpp\", \"file\": \"{0}/src/watch/main.cpp\"}}]",
                  folder_.string()));
  EXPECT_EQ(ways("build/steeple"), "4");
  put("src/other/watch.cpp", kKeeper);
  EXPECT_EQ(ways("build/watch"), "-");  // two of that name, and nothing that settles it
}

TEST_F(Started, ARunNamesTheProgramAndItsScript) {
  fs::rename(folder_ / "keeper.cpp", folder_ / "watch.cpp");
  put("shardlint.bindings.toml", kFlags);
  put("start.sh", "mpirun -np 6 ./night --ways=4\n");
  put("shardlint.toml", "[[run]]\nname = \"night\"\nfiles = [\"watch.cpp\", \"start.sh\"]\n");
  const CheckResult result = check({"."});
  EXPECT_EQ(field(result, "night/flags", "world_size"), "6");
  EXPECT_EQ(lines(result), "start.sh:1 error topology/model-parallel-does-not-divide-world [night/flags]\n");
}

TEST_F(Started, APlanThatTheProgramBuildsGetsItsWorldFromTheLauncher) {
  put("shardlint.bindings.toml", kBinding);
  put("serve.cpp",
      "#include <cstdlib>\n#include \"plan.h\"\nint main() {\n  quarry::Plan p{.wide = 4,\n    .crew = std::atoi(std::getenv(\"N\"))};\n  "
      "return p.crew;\n}\n");
  put("run.sh", "mpirun -n 2 ./serve\n");
  const CheckResult result = check({"run.sh"});
  EXPECT_EQ(field(result, "main", "world_size"), "2");
  EXPECT_EQ(lines(result), "run.sh:1 error topology/model-parallel-does-not-divide-world [main]\n");
  // Which of several plans a program starts with is decided when it runs.
  put("serve.cpp",
      "#include \"plan.h\"\nextern int n;\nquarry::Plan small() { return {.wide = 2, .crew = n}; }\nquarry::Plan big() { return {.wide = "
      "4, .crew = n}; }\n");
  EXPECT_EQ(lines(check({"run.sh"})), "");
}

// InfiniTrain's own launcher and example, with the binding that comes with shardlint.
TEST_F(Started, AnInfiniTrainExampleIsJudgedAsItIsRun) {
  fs::remove(folder_ / "shardlint.bindings.toml");
  put("shardlint.toml", "");
  put("example/gpt2/main.cc",
      "#include \"gflags/gflags.h\"\n#include \"infini_train/include/nn/parallel/global.h\"\n"
      "DEFINE_uint32(batch_size, 4, \"\");\nDEFINE_uint32(sequence_length, 64, \"\");\nDEFINE_uint32(total_batch_size, 256, \"\");\n"
      "DEFINE_int32(nthread_per_process, 1, \"\");\nDEFINE_uint32(tensor_parallel, 1, \"\");\nDEFINE_bool(sequence_parallel, false, "
      "\"\");\n"
      "DEFINE_uint32(pipeline_parallel, 1, \"\");\nDEFINE_uint32(virtual_pipeline_parallel, 1, \"\");\n"
      "int main(int argc, char* argv[]) {\n  gflags::ParseCommandLineFlags(&argc, &argv, true);\n"
      "  infini_train::nn::parallel::global::InitAllEnv(FLAGS_nthread_per_process, FLAGS_tensor_parallel, FLAGS_sequence_parallel,\n"
      "                                                 FLAGS_pipeline_parallel, FLAGS_virtual_pipeline_parallel);\n}\n");
  const std::string run =
      "infini_run --nnodes=2 --nproc_per_node=1 -- ./build/gpt2 --nthread_per_process=8 --total_batch_size=16384 --tensor_parallel 4 "
      "--pipeline_parallel=";
  const auto with = [&](const std::string& stages) {
    put("scripts/run.sh", "#!/bin/bash\n" + run + stages + "\n");
    return check({"scripts/run.sh"});
  };
  for (const bool headers : {false, true}) {
    if (headers)
      put("infini_train/include/nn/parallel/global.h",
          "#pragma once\nnamespace infini_train::nn::parallel::global {\ninline void InitAllEnv(int nthread_per_process, int "
          "tensor_parallel_size, bool sequence_parallel_enabled, int pipeline_parallel_size, int virtual_pipeline_parallel) {}\n}\n");
    const std::string plan = headers ? "program" : "flags";
    const CheckResult wrong = with("3"), right = with("4");
    EXPECT_EQ(lines(wrong), fmt::format("run.sh:2 error topology/model-parallel-does-not-divide-world [{}]\n", plan));
    EXPECT_EQ(lines(right), "");
    EXPECT_EQ(field(right, plan, "world_size") + " " + field(right, plan, "dp") + " " + field(right, plan, "gpus_per_node"), "16 1 8");
  }
}

// Code that reads a flag and works something out from it follows the command line too.
TEST_F(Started, WhatIsWorkedOutFromFlagsFollowsTheCommand) {
  put("shardlint.bindings.toml", kBinding + "[[flags]]\nstyle = \"gflags\"\n[flags.map]\nways = \"tp\"\n");
  put("keeper.cpp",
      "#include <gflags/gflags.h>\n#include \"plan.h\"\nDEFINE_int32(ways, 1, \"\");\nDEFINE_bool(deep, false, \"\");\n"
      "quarry::Plan make() {\n  quarry::Plan p;\n  p.wide = FLAGS_ways * 2;\n  if (FLAGS_deep) p.deep = 4;\n  return p;\n}\n"
      "int main(int argc, char **argv) { gflags::ParseCommandLineFlags(&argc, &argv, true); return make().wide; }\n");
  const auto plan = [&](const std::string& script) {
    put("run.sh", script);
    const CheckResult result = check({"run.sh"});
    return field(result, "make", "tp") + " " + field(result, "make", "pp") + " " + lines(result);
  };
  EXPECT_EQ(plan("mpirun -n 8 ./keeper --ways=2 --deep\n"),
            "4 4 keeper.cpp:8 error topology/model-parallel-does-not-divide-world [make]\n");
  EXPECT_EQ(plan("mpirun -n 8 ./keeper --ways=2\n"), "4 1 ");
  EXPECT_EQ(field(check({"keeper.cpp"}), "make", "pp"), "?");
}

}  // namespace
}  // namespace shardlint
