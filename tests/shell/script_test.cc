#include "checker/shell/script.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/shell/constructs.h"

namespace shardlint::shell {
namespace {

Script read(const std::string& text, const Input& with = {}) {
  Input input = with;
  input.path = "job.sh";
  input.code = Text::of(std::make_shared<const Source>("job.sh", text));
  return evaluate(input);
}

std::string commands(const Script& script) {
  std::string out = dump(script);
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

TEST(ShellScript, FollowsEveryConstruct) {
  for (const Construct& construct : constructs()) EXPECT_EQ(commands(read(construct.script)), construct.commands) << construct.name;
}

// One line of commands() by its number.
std::string nth(const Script& script, std::size_t n) { return n < script.commands.size() ? dump(script.commands[n]) : "none"; }

std::vector<std::string> said(const Text& text) {
  std::vector<std::string> out;
  for (const Step& step : text.chain()) out.push_back(step.says);
  return out;
}

const Text& word(const Script& script, std::size_t command, std::size_t at) { return script.commands.at(command).argv.at(at).text; }

std::string written(const Text& text) {
  const std::optional<Place> place = text.literal();
  return place ? std::to_string(place->source->position(place->range.begin).line) + ":" + std::string(place->source->text(place->range))
               : "";
}

TEST(ShellScript, KnowsWhereEveryWordIsWritten) {
  const Script script = read("TP=8\nA=(--tp $TP --pp 2)\nB='--cp 4'\nB+=\" --x=$TP\"\nrun \"${A[@]}\" $B");
  EXPECT_EQ(nth(script, 0), "run --tp 8 --pp 2 --cp 4 --x=8");
  EXPECT_EQ(written(word(script, 0, 1)), "2:--tp");
  EXPECT_EQ(written(word(script, 0, 2)), "1:8");
  EXPECT_EQ(written(word(script, 0, 4)), "2:2");
  EXPECT_EQ(written(word(script, 0, 6)), "3:4");
  EXPECT_EQ(written(word(script, 0, 7)), "");  // from two places
  EXPECT_EQ(written(word(script, 0, 7).slice(4, 5)), "1:8");
  EXPECT_EQ(script.commands[0].argv[2].place.source->text(script.commands[0].argv[2].place.range), "\"${A[@]}\"");
  EXPECT_EQ(script.commands[0].argv[2].token.source->text(script.commands[0].argv[2].token.range), "$TP");
}

TEST(ShellScript, TellsTheWayOfAValue) {
  const Script script = read("NODES=${NODES:-4}\nGPUS=8\nWORLD=$((NODES * GPUS))\nrun $WORLD $GPUS");
  EXPECT_EQ(said(word(script, 0, 1)), (std::vector<std::string>{"WORLD is 32 here", "NODES * GPUS is 32", "NODES is 4 here",
                                                                "GPUS is 8 here", "4 by default, if NODES is not set outside"}));
  EXPECT_EQ(said(word(script, 0, 2)), (std::vector<std::string>{"GPUS is 8 here"}));
  ASSERT_TRUE(word(script, 0, 1).by_default());
  EXPECT_EQ(*word(script, 0, 1).by_default(), "NODES");
  EXPECT_FALSE(word(script, 0, 2).by_default());
}

TEST(ShellScript, TakesWhatIsKnownFromOutside) {
  Input input;
  input.environment["SLURM_NNODES"] = Text::given("16", {});
  input.arguments = std::vector<Text>{Text::given("a", {}), Text::given("b c", {})};
  EXPECT_EQ(commands(read("run ${SLURM_NNODES:-2} $# \"$2\" ${3:-x} \"$@\"", input)), "run 16 2 'b c' x a 'b c'");
}

TEST(ShellScript, SaysWhyItDoesNotKnow) {
  EXPECT_EQ(commands(read("run $A x$(hostname)y \"$@\" ${1}")),
            "run ?{the environment variable A decides} x?{the output of $(hostname) decides}y ?{the script's arguments decide}... "
            "?{argument 1 decides}");
  EXPECT_EQ(commands(read("read -r X\nrun $X")), "run ?{what is read into X decides}");
  EXPECT_EQ(commands(read("N=$(nproc)\nrun $((N * 2))")), "run ?{the output of $(nproc) decides}");
  EXPECT_EQ(commands(read("run $((1 / 0)) $((99999999999 * 99999999999))")),
            "run ?{a division by zero} ?{a number that 64 bits do not hold}");
  const Script script = read("run $A \"$A\" \"$@\" *.yaml");
  EXPECT_EQ(script.commands[0].argv[1].count, Word::Count::Some);
  EXPECT_EQ(script.commands[0].argv[2].count, Word::Count::One);
  EXPECT_EQ(script.commands[0].argv[3].count, Word::Count::Any);
  EXPECT_TRUE(script.commands[0].argv[4].pattern);
}

TEST(ShellScript, ReadsBothWaysOfABranch) {
  const Script script =
      read("A=(--x 1)\nif [ -f ckpt ]; then A+=(--load ckpt); B=1; C=2; run in; else B=1; C=3; fi\nrun \"${A[@]}\" $B $C");
  EXPECT_EQ(nth(script, 0), "if `[ -f ckpt ]` holds: run in");
  EXPECT_EQ(nth(script, 1), "run --x 1 ?{the outcome of `[ -f ckpt ]` decides}... 1 ?{the outcome of `[ -f ckpt ]` decides}");
  EXPECT_EQ(word(script, 1, 5).hole()->choices, (std::vector<std::string>{"2", "3"}));
  ASSERT_EQ(script.forks.size(), 1U);
  EXPECT_EQ(script.forks[0].taken, -1);

  Input input;
  input.take[script.forks[0].id] = 0;
  EXPECT_EQ(
      commands(read("A=(--x 1)\nif [ -f ckpt ]; then A+=(--load ckpt); B=1; C=2; run in; else B=1; C=3; fi\nrun \"${A[@]}\" $B $C", input)),
      "run in\nrun --x 1 --load ckpt 1 2");
}

TEST(ShellScript, ListsTheArmsThatTheOutsideCouldTake) {
  const std::string text = "S=${S:-8b}\ncase $S in 8b) T=2 ;; 70b) T=8 ;; *) exit 1 ;; esac\nrun $T";
  const Script script = read(text);
  EXPECT_EQ(commands(script), "run 2");
  ASSERT_TRUE(word(script, 0, 1).by_default());
  ASSERT_EQ(script.forks.size(), 1U);
  const Fork& fork = script.forks[0];
  EXPECT_EQ(fork.taken, 0);
  ASSERT_EQ(fork.arms.size(), 3U);
  EXPECT_EQ(fork.arms[1].name, "70b");
  ASSERT_TRUE(fork.arms[1].setting);
  EXPECT_EQ(fork.arms[1].setting->first, "S");
  EXPECT_EQ(fork.arms[1].setting->second, "70b");
  Input input;
  input.environment["S"] = Text::given("70b", {});
  EXPECT_EQ(commands(read(text, input)), "run 8");

  const Script unknown = read("case $S in 8b) T=2 ;; 70b) T=8 ;; *) exit 1 ;; esac\nrun $T");
  EXPECT_EQ(commands(unknown), "run ?{the value of $S decides}");
  EXPECT_EQ(word(unknown, 0, 1).hole()->choices, (std::vector<std::string>{"2", "8"}));
  EXPECT_TRUE(unknown.forks[0].arms[2].ends);
}

TEST(ShellScript, AUsageMessageIsNotTheWayItGoes) {
  const Script script = read("if [ -z \"$1\" ]; then run usage; exit 1; fi\nrun $1 ${TP:-8}");
  EXPECT_EQ(commands(script), "if `[ -z \"$1\" ]` holds: run usage\nrun ?{argument 1 decides} 8");
}

TEST(ShellScript, ALoopOfUnknownLengthLeavesWhatItChangesOpen) {
  const Script script = read("A=1 N=0 L=(x)\nfor h in $(hosts); do N=$((N + 1)); L+=($h); run $A $N $h; done\nrun $A $N \"${L[@]}\"");
  EXPECT_EQ(nth(script, 0), "if the loop over $(hosts) has turns: run 1 ?{the loop on line 2 decides} ?{the output of $(hosts) decides}");
  EXPECT_EQ(nth(script, 1), "run 1 ?{the loop on line 2 decides} x ?{the loop on line 2 decides}...");
}

TEST(ShellScript, GivesEachCommandItsEnvironment) {
  const Script script = read("export A=1\nB=2\nC=3 run x\nexport B\nA=9\nrun y\nset -a\nD=4\nunset A\nrun z");
  const auto value = [&](std::size_t command, const char* name) {
    const auto found = script.commands[command].environment->find(name);
    return found == script.commands[command].environment->end() ? "none" : found->second.flat();
  };
  EXPECT_EQ(value(0, "A"), "1");
  EXPECT_EQ(value(0, "B"), "none");
  EXPECT_EQ(value(0, "C"), "3");
  EXPECT_EQ(value(1, "A"), "9");
  EXPECT_EQ(value(1, "B"), "2");
  EXPECT_EQ(value(1, "C"), "none");
  EXPECT_EQ(value(2, "A"), "none");
  EXPECT_EQ(value(2, "D"), "4");
}

TEST(ShellScript, ReadsScriptsInScripts) {
  const Script outer = read(
      "TP=8\nexport E=1\nsrun bash -c \"run --tp $TP --x \\$E \\$0 \\$1\" name arg\nbash -lc 'run b $TP'\n"
      "cat <<EOF > job.sh\nrun --tp ${TP} \\$E\nEOF\nsbatch job.sh\nbash <<EOF\nrun stdin $TP\nEOF\nbash job.sh\n./job.sh a");
  Input input;
  input.path = "job.sh";
  const auto inner = [&](std::size_t command, std::size_t first) {
    const std::optional<Input> found = inner_script(input, outer.commands.at(command), first);
    return found ? commands(evaluate(*found)) : "none";
  };
  EXPECT_EQ(inner(0, 1), "run --tp 8 --x 1 name arg");
  EXPECT_EQ(inner(0, 0), "none");
  EXPECT_EQ(inner(1, 0), "run b ?{the environment variable TP decides}");
  EXPECT_EQ(inner(4, 0), "run stdin 8");
  EXPECT_EQ(inner(5, 0), "run --tp 8 1");
  EXPECT_EQ(inner(6, 0), "run --tp 8 1");
  // The 8 of the inner script stands where the outer one has it.
  const Script nested = evaluate(*inner_script(input, outer.commands[0], 1));
  EXPECT_EQ(written(nested.commands[0].argv[2].text), "1:8");
  EXPECT_EQ(written(nested.commands[0].argv[1].text), "3:--tp");
}

TEST(ShellScript, SourcesFilesOfTheWorkspaceAlone) {
  Overlay files;
  files.put("conf/env.sh", "TP=4\nreturn\nTP=9\n");
  files.put("job.sh", "");
  files.put("../secret.sh", "TP=666\n");
  Input input;
  input.files = &files;
  const Script script =
      read("source conf/env.sh\nrun $TP\n. \"$(dirname \"$0\")/conf/env.sh\"\nsource ../secret.sh\nsource no/such.sh\nrun $TP", input);
  EXPECT_EQ(commands(script), "run 4\nrun 4\n# there is no file no/such.sh");
  EXPECT_EQ(script.sources.size(), 1U);
  EXPECT_EQ(word(script, 0, 1).literal()->source->path(), "conf/env.sh");
}

// What is sourced, or defined there, has offsets of its own: they say nothing of how far this script was read.
TEST(ShellScript, GoesOnBehindALongFileThatItSources) {
  Overlay files;
  files.put("env.sh", "# " + std::string(500, 'x') + "\nTP=4\nset_up() { PP=2; }\n");
  files.put("job.sh", "");
  Input input;
  input.files = &files;
  EXPECT_EQ(commands(read("source env.sh\nrun $TP\nset_up\nrun $PP && source env.sh && run $TP\nrun $(. ./env.sh; echo $TP)\nlast", input)),
            "run 4\nrun 2\nrun 4\nrun 4\nlast");
}

TEST(ShellScript, KnowsFoldersFromWhereItStarts) {
  EXPECT_EQ(
      commands(read("HERE=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\nrun $HERE/a.yaml $PWD/b.yaml\ncd sub\nrun $(pwd)/c.yaml")),
      "run ./a.yaml ./b.yaml\nrun sub/c.yaml");
  EXPECT_EQ(read("cd a/b; run").commands[0].folder.flat(), "a/b");
}

TEST(ShellScript, KeepsCommentsInOrderWithCommands) {
  const Script script = read("#!/bin/bash\n#SBATCH --nodes=4\n  # indented\nset -e # trailing\n#SBATCH --late\n");
  ASSERT_EQ(script.comments.size(), 5U);
  EXPECT_EQ(script.comments[1].text.flat(), "#SBATCH --nodes=4");
  EXPECT_TRUE(script.comments[1].line_start);
  EXPECT_FALSE(script.comments[1].after_command);
  EXPECT_FALSE(script.comments[2].line_start);
  EXPECT_FALSE(script.comments[3].line_start);
  EXPECT_TRUE(script.comments[4].line_start);
  EXPECT_TRUE(script.comments[4].after_command);
}

TEST(ShellScript, AnErrorCostsItsLine) {
  EXPECT_EQ(commands(read("run a\nfi\nrun b\n)\nrun c")),
            "run a\nrun b\nrun c\n# this cannot be read as bash\n# this cannot be read as bash");
  EXPECT_EQ(commands(read("if true; then run a")), "run a\n# this cannot be read as bash");
  EXPECT_EQ(commands(read("run --account <account> --x 1\nrun b")), "run --account 1 <account >--x\nrun b");
}

TEST(ShellScript, IsTheSameUnderOtherNames) {
  // The same job with other names, with strings for arrays, in a function, over a here-document.
  const std::string expected = "run --tp 8 --pp 2 --gbs 64";
  for (const char* text : {
           "TP=8; A=(--tp $TP --pp 2); G=$((TP * 8)); run \"${A[@]}\" --gbs $G",
           "X1=8; zz=(--tp $X1 --pp 2); q=$((X1 * 8)); run \"${zz[@]}\" --gbs $q",
           "TP=8; A=\"--tp $TP --pp 2\"; G=$((TP * 8)); run $A --gbs $G",
           "TP=8; A=\"--tp $TP\"; A+=' --pp 2'; run $A --gbs $((TP*8))",
           "f() { local t=$1; run --tp \"$t\" --pp 2 --gbs $((t * 8)); }; f 8",
           "TP=8; CMD=\"run --tp $TP\"; CMD=\"$CMD --pp 2 --gbs $(($TP * 8))\"; eval \"$CMD\"",
           "set -- --tp 8; set -- \"$@\" --pp 2; run \"$@\" --gbs 64",
           "declare -A M=([tp]=8 [pp]=2); A=(); for k in tp pp; do A+=(\"--$k\" \"${M[$k]}\"); done; run \"${A[@]}\" --gbs 64",
           "for TP in 8; do :; done; run --tp $TP --pp ${PP:-2} --gbs ${G:=64}",
           "if ((1)); then TP=8; else TP=9; fi; run {--tp,$TP} --pp 2 --gbs 64",
       })
    EXPECT_EQ(read(text).commands.empty() ? "" : dump(Command(read(text).commands[0])), expected) << text;
}

TEST(ShellScript, EndsOnHostileInput) {
  const auto repeat = [](const std::string& text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
  };
  const std::string inputs[] = {
      "a=xxxxxxxxxxxxxxxx\n" + repeat("a=$a$a\n", 60) + "run $a",
      "a=x\nwhile true; do a=$a$a; done\nrun",
      "f() { f; f; }\nf",
      "f() { eval f; }\nf",
      repeat("(", 100'000),
      repeat("{ ", 50'000),
      repeat("$(", 50'000),
      "run " + repeat("${a:-", 50'000),
      "run \"" + repeat("$(echo \"", 5'000),
      "run $((" + repeat("(", 50'000),
      "run $((" + repeat("1+", 50'000) + "1))",
      "run $((" + repeat("-", 50'000) + "1))",
      "x=x\nrun $((x))",
      "a='b+b' b='c+c' c='a+a'\nrun $((a))",
      "[[ " + repeat("(", 50'000) + " ]]",
      "[[ " + repeat("! ", 50'000) + " a ]]",
      repeat("if a; then ", 20'000),
      "if a; then b; " + repeat("elif a; then b; ", 20'000) + "fi",
      repeat("for i in 1 2 3 4 5 6 7 8 9; do ", 30) + ":" + repeat("; done", 30),
      repeat("for i in $x; do ", 40) + ":" + repeat("; done", 40),
      "run " + repeat("{1,2}", 40),
      "run {1..1000000000}",
      "for ((;;)); do :; done",
      repeat("a | ", 20'000) + "b",
      repeat("a && ", 20'000) + "b",
      repeat("case $x in a) ", 5'000),
      repeat("cat <<E\n", 20'000),
      "cat " + repeat("<<E ", 5'000),
      "a=" + std::string(200'000, '*') + "\nb=" + std::string(200'000, 'y') + "\ncase $b in $a) run;; esac\nrun ${b##$a} ${b//y/$b}",
      "source job.sh",
      "a[999999999999999999999]=1\na[-5]=2\nrun ${a[@]}",
      "run ${a[${a[${a[0]}]}]} ${!a} ${#} ${} ${:-} ${a:} ${a:::} ${a/} ${@:} $[ $(",
      std::string("run a\0b c", 9),
      "\xff\xfe\x1a run \x1a",
      "'",
      "\"$(`${",
      "<<",
      "a=(",
      "alias x='",
      "shift 999999999999\nset -- $(seq 1 1000000)\nbreak 99\nreturn\ncontinue",
      "while getopts ab o; do :; done; until read x; do break 2; done",
  };
  Overlay files;
  files.put("job.sh", "source job.sh; source ./job.sh");
  for (const std::string& text : inputs) {
    Input input;
    input.files = &files;
    const auto begin = std::chrono::steady_clock::now();
    const Script script = read(text, input);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count(), 10) << text.substr(0, 60);
    EXPECT_LE(script.commands.size(), input.limits.commands);
    dump(script);
  }
}

}  // namespace
}  // namespace shardlint::shell
