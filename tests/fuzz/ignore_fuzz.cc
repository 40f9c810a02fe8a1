// Any bytes are comments of a file with findings: the ones that are shardlint's are read, and those that it writes itself are understood.
//
// The input, up to a NUL, is a file of its own and stands behind a value that is found wrong, of a kind that a first digit chooses; behind
// the NUL stands the reason that is given for ignoring the rest.
#include <algorithm>

#include "checker/engine/add_ignores.h"
#include "checker/engine/suppress.h"
#include "tests/fuzz/promise.h"

namespace shardlint {
namespace {

using fuzzing::require;

struct Sample {
  const char *name, *before, *after;
};

constexpr Sample kSamples[] = {
    {"job.yaml", "MODEL_ARGS:\n  --tensor-model-parallel-size: 3 ",
     "\n  --num-layers: 32\n  --hidden-size: 4096\n  --num-attention-heads: 33\n  --micro-batch-size: 1\n  --seq-length: 2048\n"
     "  --max-position-embeddings: 1024\n"},
    {"job.toml", "[model]\nname = \"llama3\"\nflavor = \"debugmodel\"\n[training]\nlocal_batch_size = \"8\" ",
     "\nseq_len = 2048\nno_such_key = 1\n[parallelism]\ntensor_parallel_degree = 3\n"},
    {"job.json", "{\"train_batch_size\": 7, ", "\n\"train_micro_batch_size_per_gpu\": 2, \"zero_optimization\": {\"stage\": 4}}\n"},
    {"job.sh", "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 --tensor-model-parallel-size 3 \\\n --hidden-size 4096 ",
     "\ntorchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 --no-such-flag 1\n"},
};

void look(const Document& document) {
  for (const Ignore& ignore : ignores_of(document)) {
    require(ignore.place && ignore.place.range.end <= document.source->text().size());
    require(ignore.first <= ignore.last);
    if (!ignore.well_formed) require(ignore.names.empty());
  }
}

void judge(const Sample& sample, std::string_view comment, const std::string& reason) {
  Overlay files;
  files.put(sample.name, sample.before + std::string(comment) + sample.after);
  CheckOptions options;
  options.paths = {sample.name};
  options.jobs = 1, options.isolated = true, options.fixes = false;
  const CheckResult result = check(files, options);
  const AddedIgnores added = add_ignores(files, options, result, reason);
  if (added.texts.empty()) return;
  Overlay ignored;
  for (const auto& [path, texts] : added.texts) {
    require(texts.first.size() < texts.second.size());
    ignored.put(path, texts.second);
  }
  // Each finding that was to be silenced is, so that more are than before.
  require(check(ignored, options).suppressed > result.suppressed);
}

}  // namespace
}  // namespace shardlint

FUZZ_TARGET(ignore) {
  using namespace shardlint;
  std::string_view rest = input;
  const Sample& sample = kSamples[input.empty() ? 0 : static_cast<unsigned char>(input[0]) % std::size(kSamples)];
  if (!rest.empty() && rest[0] >= '0' && rest[0] <= '3') rest.remove_prefix(1);
  const std::string_view comment = fuzzing::cut(rest);
  for (const Format format : {Format::Yaml, Format::Toml, Format::Json, Format::Cpp})
    look(*read_document(std::make_shared<const Source>("input", std::string(comment)), format, true));
  if (comment.size() > 2000) return;
  // A reason is one line that says something: the command line takes no other.
  std::string reason(rest.substr(0, 100));
  std::erase_if(reason, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (reason.find_first_not_of(' ') == std::string::npos) reason = "as agreed";
  judge(sample, comment, reason);
}
