// The real program in a folder of its own, with limits that it must keep to: how it ends and what it says is all that is seen.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sanitized.h"
#include "tests/schema/small.h"

namespace shardlint::test {

struct Limits {
  unsigned seconds = 4;       // of processor time; ten times as many under the sanitizers
  std::size_t mebibytes = 0;  // of data; 0: no limit. Not under the sanitizers, which reserve terabytes
  std::size_t open_files = 0;
  bool no_space = false;  // a file can hold no more than `space` bytes
  std::size_t space = 0;
  bool nobody = false;                // gives up root's rights, if they are root's
  std::string input = "/dev/null";    // standard input
  std::function<void()> before = {};  // in the child, before the program begins
};

struct Ended {
  int code = 0;    // of exit; -1 if a signal ended it
  int signal = 0;  // that ended it
  std::string out, err;
  // As one line for EXPECT: "exit 1" or "signal 9".
  std::string how() const;
};

// shardlint with these arguments, started in the folder.
Ended run(const Folder& folder, std::vector<std::string> arguments, const Limits& limits = {});

// Starts the program with its output going to these descriptors (-1: closed); for tests that end it themselves.
pid_t start(const Folder& folder, std::vector<std::string> arguments, const Limits& limits, int out, int err);
Ended wait_for(pid_t child);

// The smallest files that are a framework's, with nothing wrong.
inline const std::string kToml =
    "[model]\nname = \"llama3\"\nflavor = \"debugmodel\"\n[training]\nlocal_batch_size = 8\nseq_len = 2048\n"
    "[parallelism]\ntensor_parallel_degree = 2\n";
inline const std::string kFlags =
    "MODEL_ARGS:\n  --tensor-model-parallel-size: 2\n  --pipeline-model-parallel-size: 2\n  --num-layers: 32\n  --hidden-size: 4096\n"
    "  --num-attention-heads: 32\n  --micro-batch-size: 1\n  --global-batch-size: 64\n  --seq-length: 2048\n"
    "  --max-position-embeddings: 2048\n  --train-iters: 1000\n  --lr: 1.0e-4\n  --tokenizer-type: NullTokenizer\n  --vocab-size: 32000\n";
inline const std::string kKeys =
    "general:\n  run: x\nparallelism:\n  dp: 2\n  pp: 2\n  tp: 2\ntokens:\n  micro_batch_size: 1\n  sequence_length: 2048\n";
inline const std::string kJson =
    "{\"train_micro_batch_size_per_gpu\": 8, \"zero_optimization\": {\"stage\": 2}, \"gradient_clipping\": 1.0";

std::string repeated(std::string_view text, std::size_t times);

}  // namespace shardlint::test
