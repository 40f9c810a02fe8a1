// Laying a model out on a cluster: every split of its ranks that comes out, judged by the law, the best first.
//
// Tried are TP (inside an NVLink domain), PP, CP (where a rank keeps 8,192 tokens), EP, virtual stages, micro-batches of 1, 2 and 4 sequences, sharded optimizer or sharded
// weights (FSDP, without pipelines), and recompute of attention alone or of everything.
#pragma once

#include <string>
#include <vector>

#include "checker/engine/what_if.h"

namespace shardlint {

// `of`: model, cluster and batch; what it says of its own split does not count.
Layouts search_layouts(const Plan& of, unsigned jobs);

}  // namespace shardlint
