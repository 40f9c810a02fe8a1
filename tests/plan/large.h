// A plan to ask about its ranks.
#pragma once

#include "checker/plan/plan.h"

namespace shardlint::test {

template <class T, class V>
void set(PlanField<T>& field, V value) {
  field.value = value, field.stated = true;
}

// 5,120 GPUs in servers of 8: TP 8, 8 stages, 80 replicas.
inline Plan large() {
  Plan plan;
  set(plan.world_size, i64{5120}), set(plan.gpus_per_node, i64{8}), set(plan.nvlink_domain, i64{8});
  set(plan.tp, i64{8}), set(plan.pp, i64{8}), set(plan.cp, i64{1}), set(plan.dp, i64{80});
  return plan;
}

}  // namespace shardlint::test
