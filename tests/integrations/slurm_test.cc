// The filters of integrations/slurm in a real Slurm: slurmctld and four slurmd on this host, each with eight GPUs that are none.
#include <algorithm>
#include <chrono>

#include <gmock/gmock.h>

#include "tests/program.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const kModel =
    " --tensor-model-parallel-size 8 --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 "
    "--max-position-embeddings "
    "2048 --micro-batch-size 1 --global-batch-size 64 --train-iters 10 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer "
    "--vocab-size 32000\n";

std::string job(std::string model = kModel, const std::string& more = "") {
  return "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n#SBATCH --ntasks-per-node=1\n#SBATCH --mem=10\n" + more +
         "srun torchrun --nnodes=2 --rdzv-backend=c10d --rdzv-endpoint=head:29500 --nproc_per_node=8 pretrain_gpt.py" + model;
}
std::string bad(const std::string& more = "") {
  std::string model = kModel;
  return job(model.replace(model.find("size 8"), 6, "size 6"), more);
}

class Slurm : public InFolder {
 protected:
  void SetUp() override {
    if (::geteuid() != 0 || !installed("slurmctld") || !installed("slurmd") || !installed("munged"))
      GTEST_SKIP() << "a Slurm of our own needs slurm-wlm, munge and root";
    for (const char* name : {"cli_filter.lua", "job_submit.lua", "shardlint.lua"})
      std::filesystem::copy_file(SHARDLINT_ROOT "/integrations/slurm/" + std::string(name), folder_ / name);
    put("bin/torchrun", "#!/bin/sh\necho \"node $SLURM_NODEID: $*\"\n", true);
    site("");
    const Ended started = sh("'" SHARDLINT_ROOT "/tests/integrations/slurm_cluster.sh' start .");
    ASSERT_EQ(started.exit, 0) << started.out << started.err;
  }
  void TearDown() override { sh("'" SHARDLINT_ROOT "/tests/integrations/slurm_cluster.sh' stop ."); }

  void site(const std::string& gate, const std::string& program = SHARDLINT_BINARY) const {
    const std::string patience = gate.find("time-limit") == std::string::npos ? "time-limit = 30\n" : "";
    put("shardlint-site.toml", "[gate]\nprogram = \"" + program + "\"\n" + patience + "log = \"" + path("bypass.log") + "\"\n" + gate +
                                   "\n[[partition]]\nnames = [\"h*\"]\ncluster = {gpu = \"H100\", nvlink_domain = 8}\n");
  }
  Ended submit(const std::string& words) const { return sh("export SLURM_CONF=\"$PWD/slurm.conf\" PATH=\"$PWD/bin:$PATH\"\n" + words); }
};

TEST_F(Slurm, RunsGoodJobsAndRefusesBadOnes) {
  put("good.sh", job());
  put("bad.sh", bad());

  // A good job runs on two nodes.
  Ended ran = submit("sbatch --wait --output=good.out good.sh");
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.err, "") << "nothing is said of a good job";
  EXPECT_THAT(get("good.out"), HasSubstr("node 0: --nnodes=2"));
  EXPECT_THAT(get("good.out"), HasSubstr("node 1: --nnodes=2"));

  // A bad one is refused with our message.
  ran = submit("sbatch bad.sh");
  EXPECT_NE(ran.exit, 0);
  EXPECT_THAT(ran.err, HasSubstr("error: 16 GPUs cannot be shared by copies of the model on 6 GPUs each"));
  EXPECT_THAT(ran.err, HasSubstr("bad.sh:6:"));
  EXPECT_THAT(ran.err, HasSubstr("this job is refused"));
  EXPECT_THAT(ran.out, Not(HasSubstr("Submitted")));

  // So is one that only the controller sees, through standard input; nothing beside the script is read there.
  put("secret.sh", "export LAYERS=\"not for everybody\"\n");
  put("sourced.sh", bad("source " + path("secret.sh") + "\n"));
  ran = submit("sbatch < sourced.sh");
  EXPECT_NE(ran.exit, 0);
  EXPECT_THAT(ran.err, HasSubstr("cannot be shared by copies of the model on 6 GPUs each"));
  EXPECT_THAT(ran.err, HasSubstr("job.sbatch:7:"));
  EXPECT_THAT(ran.err, Not(HasSubstr("everybody")));
  EXPECT_THAT(get("log/slurmctld.log"), Not(HasSubstr("everybody")));

  // What is given to sbatch lies over the script, and what its environment says over the script's defaults.
  std::string staged = job();
  staged.replace(staged.find("--nnodes=2"), 10, "--nnodes=$SLURM_NNODES")
      .replace(staged.find(" --num-layers"), 0, " --pipeline-model-parallel-size ${STAGES:-3}");
  put("staged.sh", staged);
  EXPECT_THAT(submit("sbatch staged.sh").err, HasSubstr("16 GPUs cannot be shared"));
  ran = submit("sbatch --nodes=3 --output=/dev/null staged.sh");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(submit("STAGES=2 sbatch --output=/dev/null staged.sh").exit, 0);
  EXPECT_THAT(submit("STAGES=2 sbatch --nodes=3 --output=/dev/null < staged.sh").err, HasSubstr("24 GPUs cannot be shared"));

  // No variable is large enough to hide a job from its check.
  put("big.sh", bad("echo ${BIG}\n"));
  EXPECT_NE(submit("BIG=$(head -c 100000 /dev/zero | tr '\\0' x) sbatch --output=/dev/null big.sh").exit, 0);

  // Reasons let a job pass, and are written down.
  ran = submit("SHARDLINT_BYPASS='a test of the fabric' sbatch --wait --output=bypass.out bad.sh");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("shardlint: bypassed: a test of the fabric"));
  EXPECT_THAT(get("bypass.out"), HasSubstr("node 1: "));
  EXPECT_THAT(get("bypass.log"), HasSubstr("rules=\"megatron/world-not-divisible-by-model\" reason=\"a test of the fabric\""));
  EXPECT_THAT(get("bypass.log"), HasSubstr("user=\"uid 0\"")) << "the controller says who submitted";
  put("commented.sh", bad("# shardlint: bypass the model is cut by hand\n"));
  EXPECT_EQ(submit("sbatch --output=/dev/null commented.sh").exit, 0);
  EXPECT_THAT(get("bypass.log"), HasSubstr("the model is cut by hand"));
  EXPECT_EQ(submit("sbatch --comment='shardlint: bypass ordered so' --output=/dev/null bad.sh").exit, 0);
  EXPECT_THAT(get("bypass.log"), HasSubstr("ordered so"));
  site("bypass = []\n");
  EXPECT_NE(submit("SHARDLINT_BYPASS=x sbatch --output=/dev/null bad.sh").exit, 0);

  // The site decides what refuses.
  site("refuse = [\"launch\"]\n");
  EXPECT_EQ(submit("sbatch --output=/dev/null bad.sh").exit, 0);

  // A checker that is missing or hangs does what the site says.
  site("", path("bin/nothing"));
  ran = submit("sbatch --output=/dev/null bad.sh");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("cannot be started; the job is accepted unchecked"));
  site("when-missing = \"refuse\"\n", path("bin/nothing"));
  ran = submit("sbatch --output=/dev/null good.sh");
  EXPECT_NE(ran.exit, 0);
  EXPECT_THAT(ran.err, HasSubstr("this site accepts no job unchecked"));
  put("bin/hangs", "#!/bin/sh\nexec sleep 60\n", true);
  const auto start = std::chrono::steady_clock::now();
  site("time-limit = 0.3\nwhen-failing = \"refuse\"\n", path("bin/hangs"));
  ran = submit("sbatch --output=/dev/null good.sh");
  EXPECT_NE(ran.exit, 0);
  EXPECT_THAT(ran.err, HasSubstr("no answer within 0.3 s"));
  site("time-limit = 0.3\n", path("bin/hangs"));
  ran = submit("sbatch --output=/dev/null good.sh");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  site("when-falling = \"refuse\"\n");
  ran = submit("sbatch --output=/dev/null good.sh");
  EXPECT_EQ(ran.exit, 0);
  EXPECT_THAT(ran.err, HasSubstr("did you mean `when-failing`?"));

  // The wrapper, for clusters without filters: the same checks, then sbatch itself.
  put("shardlint-site.toml", "[gate]\nprogram = \"/bin/true\"\n");
  put("site.toml", "[gate]\nlog = \"" + path("bypass.log") + "\"\n");
  const std::string wrapped = "SHARDLINT_SITE=site.toml \"$SHARDLINT\" submit ";
  ran = submit(wrapped + "--wait --output=wrapped.out good.sh");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Submitted batch job"));
  EXPECT_THAT(get("wrapped.out"), HasSubstr("node 1: "));
  ran = submit(wrapped + "bad.sh");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.out, HasSubstr("16 GPUs cannot be shared"));
  EXPECT_THAT(ran.err, HasSubstr("this job is not submitted"));
  EXPECT_EQ(submit(wrapped + "--output=/dev/null < bad.sh").exit, 1);
  EXPECT_EQ(submit(wrapped + "--output=/dev/null < good.sh").exit, 0) << "what was read is handed on";
  EXPECT_EQ(submit("SHARDLINT_BYPASS=because " + wrapped + "--output=/dev/null bad.sh").exit, 0);
  EXPECT_THAT(get("bypass.log"), HasSubstr("reason=\"because\""));
  EXPECT_EQ(submit(wrapped + "no-such-file.sh").exit, submit("sbatch no-such-file.sh").exit);

  // What it costs, beside a plain sbatch in the same cluster, is printed; those that can be are taken in turns.
  const auto times = [&](const std::vector<std::string>& ways) {
    std::string line = "for turn in 1 2 3 4 5 6 7 8 9 10 11 12; do\n";
    for (const std::string& way : ways)
      line += "a=$(date +%s%N); " + way + " --hold --output=/dev/null good.sh >/dev/null; b=$(date +%s%N); printf '%s ' $((b - a))\n";
    std::istringstream out(submit(line + "done").out);
    std::vector<std::vector<double>> taken(ways.size());
    double nanoseconds = 0;
    for (std::size_t i = 0; out >> nanoseconds; ++i) taken[i % ways.size()].push_back(nanoseconds / 1e6);
    for (std::vector<double>& one : taken) std::sort(one.begin(), one.end());
    return taken;
  };
  site("");
  const auto both = times({"sbatch"});
  ASSERT_EQ(submit("sed -i /^JobSubmitPlugins/d slurm.conf && scontrol reconfigure").exit, 0);
  const auto login = times({"sbatch"});
  ASSERT_EQ(submit("sed -i /^CliFilterPlugins/d slurm.conf && scontrol reconfigure").exit, 0);
  const auto others = times({"sbatch", "SHARDLINT_SITE=site.toml \"$SHARDLINT\" submit"});
  EXPECT_EQ(submit("sbatch --hold --output=/dev/null bad.sh").exit, 0) << "no filter is left";
  for (const auto& [name, taken] : {std::pair{"sbatch", others[0]},
                                    {"shardlint submit", others[1]},
                                    {"sbatch, cli_filter", login[0]},
                                    {"sbatch, both filters", both[0]}}) {
    ASSERT_EQ(taken.size(), 12u);
    fmt::print("{:<22} {:5.0f} ms at best, {:5.0f} ms in the median\n", name, taken[0], taken[6]);
  }
  submit("scancel --user=root");
}

}  // namespace
}  // namespace shardlint
