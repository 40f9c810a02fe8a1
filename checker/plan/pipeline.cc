#include "checker/plan/pipeline.h"

#include <algorithm>
#include <cctype>

#include "checker/plan/rule.h"

namespace shardlint {

namespace {

constexpr i64 kMaxPieces = 200'000;

struct Task {
  Work::Kind kind;
  int micro_batch, chunk;
};

// The order in which a rank does its work.
std::vector<Task> order(ScheduleKind kind, int stage, int p, int v, int m) {
  std::vector<Task> out;
  const int total = m * v;
  const auto forward = [&](int n) {  // the n-th forward pass of a rank: groups of p micro-batches, chunk after chunk
    if (v == 1) return Task{Work::Kind::Forward, n, 0};
    const int round = n / (p * v), inside = n % (p * v);
    return Task{Work::Kind::Forward, round * p + inside % p, inside / p};
  };
  const auto backward = [&](int n) {
    if (v == 1) return Task{Work::Kind::Backward, n, 0};
    const int round = n / (p * v), inside = n % (p * v);
    return Task{Work::Kind::Backward, round * p + inside % p, v - 1 - inside / p};
  };
  int warmup = kind == ScheduleKind::GPipe ? total : v > 1 ? (p - stage - 1) * 2 + (v - 1) * p : p - stage - 1;
  warmup = std::min(warmup, total);
  for (int n = 0; n < warmup; ++n) out.push_back(forward(n));
  for (int n = warmup; n < total; ++n) {
    out.push_back(forward(n));
    out.push_back(backward(n - warmup));
  }
  for (int n = total - warmup; n < total; ++n) out.push_back(backward(n));
  return out;
}

}  // namespace

std::optional<ScheduleKind> schedule_kind(const Plan& plan) {
  std::string name = plan.schedule.value_or("");
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::erase_if(name, [](char c) { return c == '-' || c == '_' || c == ' '; });
  if (name.find("zero") != std::string::npos || name.starts_with("zb") || name.starts_with("dualpipe")) return ScheduleKind::ZeroBubble;
  if (count_or(plan.vpp, 1) > 1 || name.starts_with("interleaved") || name.starts_with("looped")) return ScheduleKind::Interleaved;
  if (name == "gpipe" || name == "afab") return ScheduleKind::GPipe;
  if (name == "1f1b") return ScheduleKind::OneF1B;
  return std::nullopt;
}

std::optional<double> bubble_share(const Plan& plan) {
  const auto kind = schedule_kind(plan);
  const auto sizes = counts(plan.pp, plan.num_microbatches);
  if (!kind || !sizes) return std::nullopt;
  const auto [pp, microbatches] = *sizes;
  const double p = static_cast<double>(pp), m = static_cast<double>(microbatches);
  const double v = *kind == ScheduleKind::Interleaved ? static_cast<double>(count_or(plan.vpp, 1)) : 1;
  if (*kind == ScheduleKind::ZeroBubble) return 0.0;
  return (p - 1) / (m * v + p - 1);
}

std::optional<std::vector<std::vector<Work>>> timeline(const Plan& plan, double backward) {
  const auto kind = schedule_kind(plan);
  const auto sizes = counts(plan.pp, plan.num_microbatches);
  if (!kind || !sizes) return std::nullopt;
  const i64 chunks = *kind == ScheduleKind::Interleaved ? count_or(plan.vpp, 1) : 1;
  const auto pieces = product({*plan.pp, *plan.num_microbatches, chunks, 2});
  if (!pieces || *pieces > kMaxPieces) return std::nullopt;
  const int p = static_cast<int>(*plan.pp), m = static_cast<int>(*plan.num_microbatches), v = static_cast<int>(chunks);
  if (v > 1 && m % p != 0) return std::nullopt;

  std::vector<std::vector<Task>> todo;
  for (int stage = 0; stage < p; ++stage) todo.push_back(order(*kind, stage, p, v, m));
  // When each pass of each chunk of the whole model ends; below zero: not yet.
  const auto width = static_cast<std::size_t>(p * v);
  std::vector<double> done[2];
  for (auto& ends : done) ends.assign(width * static_cast<std::size_t>(m), -1);
  const auto at = [&](int chunk, int micro_batch) {
    return static_cast<std::size_t>(micro_batch) * width + static_cast<std::size_t>(chunk);
  };

  std::vector<std::vector<Work>> out(todo.size());
  std::vector<std::size_t> next(todo.size(), 0);
  std::vector<double> free(todo.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t stage = 0; stage < todo.size(); ++stage)
      for (; next[stage] < todo[stage].size(); ++next[stage]) {
        const Task& task = todo[stage][next[stage]];
        const int chunk = task.chunk * p + static_cast<int>(stage);  // of the whole model
        const bool ahead = task.kind == Work::Kind::Forward;
        double ready = 0;
        if (ahead && chunk > 0) ready = done[0][at(chunk - 1, task.micro_batch)];
        if (!ahead) ready = chunk + 1 < p * v ? done[1][at(chunk + 1, task.micro_batch)] : done[0][at(chunk, task.micro_batch)];
        if (ready < 0) break;
        const double begin = std::max(free[stage], ready), end = begin + (ahead ? 1 : backward);
        out[stage].push_back({task.kind, task.micro_batch, task.chunk, begin, end});
        done[ahead ? 0 : 1][at(chunk, task.micro_batch)] = free[stage] = end;
        moved = true;
      }
  }
  for (std::size_t stage = 0; stage < todo.size(); ++stage)
    if (next[stage] < todo[stage].size()) return std::nullopt;
  return out;
}

}  // namespace shardlint
