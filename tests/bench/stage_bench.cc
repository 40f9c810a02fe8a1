// What each stage costs of one file: reading it, composing its layers to facts, binding them to the framework's keys, the law, the report.
#include <chrono>
#include <fstream>
#include <iterator>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "checker/compose/compose.h"
#include "checker/engine/check.h"
#include "checker/plan/bind.h"
#include "checker/plan/law.h"
#include "checker/report/json.h"
#include "checker/report/text.h"

namespace shardlint {
namespace {

void stages(benchmark::State& state, const std::string& name, const char* framework) {
  std::ifstream in(fmt::format("{}/fixtures/{}", SHARDLINT_ROOT, name), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const Schema* schema = schema_named(framework);
  if (text.empty() || !schema) return state.SkipWithError("no such fixture");
  Overlay files;
  files.put(name, text);
  CheckOptions options;
  options.paths = {name};
  options.isolated = true, options.jobs = 1, options.origins = false;

  double parse = 0, compose_facts = 0, map = 0, law = 0, render = 0;
  const auto timed = [](double& into, const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    into += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    return result;
  };
  const CheckResult result = check(files, options);
  if (result.files != 1) return state.SkipWithError("the file is not recognised");
  for (auto _ : state) {
    const auto source = std::make_shared<const Source>(name, text);
    const DocumentPtr document = timed(parse, [&] { return read_document(source, *format_of(name)); });
    Job job{schema, &schema->forms[0], "", {}};
    job.facts = timed(compose_facts, [&] {
      if (schema->composition.style == Layering::None) return facts_of(document, *document->roots[0], schema->loader);
      return compose(files, {schema, schema->loader, {document}, {}, {}, ".", true, false}).facts;
    });
    if (const FormSpec* form = recognise(*schema, job.facts)) job.form = form;
    timed(map, [&] { return bind(job).bindings.size(); });
    timed(law, [&] { return judge(job).checks; });  // which binds as well
    timed(render, [&] { return text_report(result, {}).size() + json_report(result, "").size(); });
  }
  const double runs = static_cast<double>(state.iterations());
  state.counters["parse"] = parse / runs, state.counters["compose"] = compose_facts / runs, state.counters["map"] = map / runs;
  state.counters["law"] = (law - map) / runs, state.counters["render"] = render / runs;
}

#define STAGES(name, file, framework) BENCHMARK_CAPTURE(stages, name, file, framework)->Unit(benchmark::kMicrosecond)
STAGES(torchtitan, "ok/torchtitan-500b.toml", "torchtitan");
STAGES(nanotron, "ok/nanotron-500b.yaml", "nanotron");
STAGES(megatron, "ok/megatron-500b.yaml", "megatron");
STAGES(verl, "ok/verl-500b-grpo.yaml", "verl");
STAGES(nemo_rl, "ok/nemo-rl-500b-grpo.yaml", "nemo-rl");

}  // namespace
}  // namespace shardlint
