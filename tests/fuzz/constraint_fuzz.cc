// Any text is a constraint, or is refused with a place inside it; what was compiled can be evaluated over any plan.
#include <memory>

#include "checker/plan/evaluation.h"
#include "checker/plan/plan.h"
#include "checker/schema/expr.h"
#include "checker/schema/schema.h"
#include "tests/fuzz/promise.h"

namespace shardlint {
namespace {

using fuzzing::require;

// The names of a schema, all of them, as its own law knows them.
class SchemaNames : public Names {
 public:
  explicit SchemaNames(const Schema& schema) : schema_(schema) {}
  std::optional<Name> field(std::string_view name) const override {
    if (const auto found = field_named(name)) return Name{slot(*found), fields()[slot(*found)].types, false};
    for (std::size_t i = 0; i < schema_.lets.size(); ++i)
      if (schema_.lets[i].name == name) return Name{schema_.let_slot(i), type::Any, false};
    return std::nullopt;
  }
  std::optional<Name> key(std::string_view path) const override {
    const KeySpec* spec = schema_.find_key(path);
    if (!spec || spec->open()) return std::nullopt;
    return Name{schema_.key_slot(schema_.index_of(*spec)), spec->types, spec->per_item()};
  }
  bool has_table(std::string_view table, std::string_view column, std::size_t) const override {
    for (const TableSpec& one : schema_.tables)
      if (one.name == table)
        for (std::string_view name : one.columns)
          if (name == column) return true;
    return false;
  }
  bool has_form(std::string_view name) const override {
    for (const FormSpec& form : schema_.forms)
      if (form.name == name) return true;
    return false;
  }
  std::string nearest(std::string_view) const override { return ""; }

 private:
  const Schema& schema_;
};

}  // namespace
}  // namespace shardlint

FUZZ_TARGET(constraint) {
  using namespace shardlint;
  const std::string_view text = input;
  const Schema& schema = *schema_named("megatron");
  for (const TypeSet wanted : {type::Bool, type::Any}) {
    ExprPool pool;
    ExprError error;
    const std::optional<Compiled> compiled = compile(text, SchemaNames(schema), pool, wanted, error);
    if (!compiled) {
      fuzzing::require(!error.message.empty() && error.column <= text.size());
      continue;
    }
    fuzzing::require(compiled->id < pool.nodes.size());
    // The schema with this expression in the place of its own.
    std::vector<Const> constants;
    for (const Value& value : pool.constants) {
      Const& constant = constants.emplace_back();
      constant.kind = value.kind();
      if (value.integer()) constant.integer = *value.integer();
      if (value.boolean()) constant.integer = *value.boolean();
      if (value.real()) constant.real = *value.real();
      if (value.text()) constant.text = *value.text();
    }
    Schema one = schema;
    one.nodes = pool.nodes, one.constants = constants;
    const std::vector<ExprId> none(one.field_expr.size(), kNoExpr);
    one.field_expr = none, one.field_derivation = none;
    std::vector<LetSpec> lets(schema.lets.begin(), schema.lets.end());
    for (LetSpec& let : lets) let.expr = compiled->id;  // which may name itself
    one.lets = lets;
    std::vector<KeySpec> keys(schema.keys.begin(), schema.keys.end());
    for (KeySpec& key : keys) key.defaults = {}, key.has_default = false;
    one.keys = keys;
    const Facts facts;
    Evaluation evaluation(one, std::make_shared<const std::vector<Binding>>(), facts, false, {});
    evaluation.evaluate(compiled->id);
  }
}
