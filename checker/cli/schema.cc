// `schema NAME --json-schema`
#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/report/json_schema.h"

namespace shardlint {

Outcome run_schema(const Options& options, const TextStyle&) {
  Outcome out;
  if (const Schema* schema = schema_named(*options.topic)) {
    out.output = json_schema(*schema);
    return out;
  }
  std::vector<std::string_view> names;
  for (const Schema* schema : schemas()) names.push_back(schema->name);
  out.remarks.push_back(fmt::format("shardlint: no framework `{}`{}", *options.topic, did_you_mean(*options.topic, names)));
  out.exit = kUsage;
  return out;
}

}  // namespace shardlint
