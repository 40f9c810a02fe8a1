#include "checker/shell/edit.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace shardlint::shell {
namespace {

struct Read {
  SourcePtr source;
  Script script;

  // The text after the edits.
  std::string with(const std::optional<std::vector<Edit>>& edits) const {
    if (!edits) return "none";
    return apply(*source, *edits).value_or("overlap");
  }
  const Command& command() const { return script.commands.at(0); }
};

Read read(const std::string& text) {
  Read out;
  out.source = std::make_shared<const Source>("job.sh", text);
  Input input;
  input.path = "job.sh";
  input.code = Text::of(out.source);
  out.script = evaluate(input);
  return out;
}

std::string written(const std::string& text, std::size_t word, const std::string& to) {
  const Read job = read(text);
  const Text& value = job.command().argv.at(word).text;
  const std::size_t equals = value.flat().find('=');
  return job.with(write_text(equals == std::string::npos ? value : value.slice(equals + 1, value.size()), to));
}

TEST(ShellEdit, WritesAValueWhereItStands) {
  EXPECT_EQ(written("run --tp 8", 2, "4"), "run --tp 4");
  EXPECT_EQ(written("run --tp=8 # x", 1, "16"), "run --tp=16 # x");
  EXPECT_EQ(written("run --tp=\"8\"", 1, "16"), "run --tp=\"16\"");
  EXPECT_EQ(written("TP=8\nrun --tp $TP", 2, "4"), "TP=4\nrun --tp $TP");
  EXPECT_EQ(written("TP=${TP:-8}\nrun --tp \"${TP}\"", 2, "4"), "TP=${TP:-4}\nrun --tp \"${TP}\"");
  EXPECT_EQ(written("A=(--tp 8\n  --pp 2)\nrun \"${A[@]}\"", 4, "1"), "A=(--tp 8\n  --pp 1)\nrun \"${A[@]}\"");
  EXPECT_EQ(written("A=\"--tp 8 --pp 2\"\nrun $A", 4, "1"), "A=\"--tp 8 --pp 1\"\nrun $A");
  EXPECT_EQ(written("A='--tp=8'\nrun $A", 1, "1"), "A='--tp=1'\nrun $A");
  EXPECT_EQ(written("run \"a b\"", 1, "c d"), "run \"c d\"");
  EXPECT_EQ(written("run 'a'", 1, "$x"), "run '$x'");
}

TEST(ShellEdit, WritesNothingWhereThatWouldNotBeIt) {
  EXPECT_EQ(written("run --tp $((4 * 2))", 2, "4"), "none");
  EXPECT_EQ(written("A=1\nrun $A$A", 1, "4"), "none");
  EXPECT_EQ(written("run $X", 1, "4"), "none");
  EXPECT_EQ(written("run 8", 1, "4; rm"), "none");
  EXPECT_EQ(written("run \"a\"", 1, "$x"), "none");
}

TEST(ShellEdit, AddsWords) {
  const auto added = [](const std::string& text, std::size_t at) {
    const Read job = read(text);
    return job.with(insert_words(job.command(), at, {"--sp", "1"}));
  };
  EXPECT_EQ(added("run --tp 8 --pp 2", 2), "run --tp 8 --sp 1 --pp 2");
  EXPECT_EQ(added("run --tp \"8\"", 2), "run --tp \"8\" --sp 1");
  EXPECT_EQ(added("run \\\n  --tp 8 \\\n  --pp 2\n", 2), "run \\\n  --tp 8 --sp 1 \\\n  --pp 2\n");
  EXPECT_EQ(added("A=(--tp 8\n --pp 2 # two\n)\nrun \"${A[@]}\"", 4), "A=(--tp 8\n --pp 2 --sp 1 # two\n)\nrun \"${A[@]}\"");
  EXPECT_EQ(added("A=(--tp $T)\nrun \"${A[@]}\"", 2), "A=(--tp $T --sp 1)\nrun \"${A[@]}\"");
  EXPECT_EQ(added("A=\"--tp 8\"\nrun $A", 2), "A=\"--tp 8 --sp 1\"\nrun $A");
  EXPECT_EQ(added("run --tp $T", 2), "run --tp $T --sp 1");
}

TEST(ShellEdit, TakesWordsAway) {
  const auto removed = [](const std::string& text, std::size_t first, std::size_t count) {
    const Read job = read(text);
    return job.with(remove_words(job.command(), first, count));
  };
  EXPECT_EQ(removed("run --tp 8 --pp 2", 1, 2), "run --pp 2");
  EXPECT_EQ(removed("run --tp 8 --pp 2", 3, 2), "run --tp 8");
  EXPECT_EQ(removed("run \\\n  --tp 8 \\\n  --pp 2\n", 1, 2), "run \\\n  --pp 2\n");
  EXPECT_EQ(removed("run \\\n  --tp 8 \\\n  --pp 2\nrun b\n", 3, 2), "run \\\n  --tp 8\nrun b\n");
  EXPECT_EQ(removed("A=(\n  --tp 8\n  --sp\n)\nrun \"${A[@]}\"", 3, 1), "A=(\n  --tp 8\n)\nrun \"${A[@]}\"");
  EXPECT_EQ(removed("A=(--tp $T --sp)\nrun \"${A[@]}\"", 1, 2), "A=(--sp)\nrun \"${A[@]}\"");
  EXPECT_EQ(removed("A=\"--tp 8 --sp\"\nrun $A", 3, 1), "A=\"--tp 8\"\nrun $A");
  EXPECT_EQ(removed("T='--tp 8'\nrun $T\"x\"", 2, 1), "none");
}

TEST(ShellEdit, PutsADirectiveBelowAnother) {
  const Read job = read("#!/bin/bash\n#SBATCH --nodes=4\nrun\n");
  EXPECT_EQ(job.with(insert_line(job.script.comments.at(1), "#SBATCH --gres=gpu:8")),
            "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gres=gpu:8\nrun\n");
  EXPECT_EQ(job.with(write_text(job.script.comments.at(1).text.slice(16, 17), "8")), "#!/bin/bash\n#SBATCH --nodes=8\nrun\n");
}

TEST(ShellEdit, MakesFacts) {
  const Read job = read("TP=${TP:-8}\nrun --tp $TP --sp --pp=2");
  const auto command = std::make_shared<const Command>(job.command());
  const auto fact = [&](std::size_t first, std::size_t count, const Text& value) {
    Fact out;
    locate(out, Flag{command, first, count, value});
    return out;
  };
  const Fact tp = fact(1, 2, command->argv[2].text);
  EXPECT_EQ(tp.way, Way::Word);
  EXPECT_EQ(job.source->text(tp.place.range), "8");
  EXPECT_EQ(job.source->text(tp.key_place.range), "--tp");
  ASSERT_TRUE(tp.chain);
  EXPECT_EQ(tp.chain->front().says, "TP is 8 here");
  EXPECT_EQ(job.with(tp.spot->write(Value(4))), "TP=${TP:-4}\nrun --tp $TP --sp --pp=2");
  EXPECT_EQ(job.with(tp.spot->remove()), "TP=${TP:-8}\nrun --sp --pp=2");
  EXPECT_EQ(job.with(tp.spot->rename("--tensor")), "TP=${TP:-8}\nrun --tensor $TP --sp --pp=2");
  const Fact sp = fact(3, 1, {});
  EXPECT_EQ(job.with(sp.spot->write(Value(false))), "TP=${TP:-8}\nrun --tp $TP --pp=2");
  const Fact pp = fact(4, 1, command->argv[4].text.slice(5, 6));
  EXPECT_EQ(job.source->text(pp.key_place.range), "--pp");
  EXPECT_EQ(job.with(pp.spot->write(Value(1))), "TP=${TP:-8}\nrun --tp $TP --sp --pp=1");
  EXPECT_EQ(job.with(pp.spot->rename("--stages")), "TP=${TP:-8}\nrun --tp $TP --sp --stages=2");
}

}  // namespace
}  // namespace shardlint::shell
