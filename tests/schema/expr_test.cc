// The constraint language as tables: text to compiled tree, text to error, text to value.
//
// Every row is a [let] of a small schema, so it goes through the loader as the law of a framework does.
#include "tests/schema/small.h"

namespace shardlint::test {
namespace {

constexpr std::string_view kSchema = R"(
name = "small"
formats = ["yaml"]
loader = "yaml12"
unknown_key = "ignore"
[recognise]
keys = ["n"]
[[union]]
at = "model"
members = ["Dense", "Sparse"]
[plan]
tp = "'n'"
[let]
)";

// Fields that nobody states stand for the unknown: vocab a number, kv_heads_replicated a truth, gpu a text.
constexpr std::string_view kKeys =
    "key\ttype\tdefault\tin\n"
    "n\tint|null\t7\n"
    "zero\tint\t0\n"
    "half\tfloat\t0.5\n"
    "yes\tbool\ttrue\n"
    "no\tbool\tfalse\n"
    "none\tany\t\n"
    "maybe\tbool|null\tnull\n"
    "word\tstr\t\"AbC\"\n"
    "list\tlist[int]\t[3, 1, 2]\n"
    "words\tlist[str]\t[\"moe\", \"core_attn\"]\n"
    "empty\tlist\t[]\n"
    "stages\tlist\t[]\n"
    "stages[*].name\tstr|null\tnull\n"
    "stages[*].start\tint\t1\n"
    "opt\tdict|null\tnull\n"
    "opt.lr\tfloat\t0.1\n"
    "model\tdict|null\tnull\n"
    "model.wide\tint\t<required>\tDense\n"
    "model.experts\tint\t<required>\tSparse\n"
    "env.LEVEL\tstr\t\n";

constexpr std::string_view kSizes =
    "family\tflavor\tlayers\tratio\tgated\trest\n"
    "llama\t8B\t32\t3.5\ttrue\t\n"
    "llama\t70B\t80\t3.5\ttrue\tlarge\n"
    "gpt\t8B\t48\t4.0\tfalse\t-1\n";

constexpr std::string_view kRun = "written: 1\nhalf: 0.25\nstages: [{name: a}, {name: b, start: 5}, {start: 9}]\nmodel: {experts: 8}\n";

std::unique_ptr<SchemaData> load_lets(const std::vector<std::string_view>& texts, std::vector<std::string>& errors) {
  std::string schema(kSchema);
  for (std::size_t i = 0; i < texts.size(); ++i) schema += fmt::format("e{} = '''{}'''\n", i, texts[i]);
  return load({{"schema.toml", schema}, {"keys.tsv", std::string(kKeys)}, {"sizes.tsv", std::string(kSizes)}}, errors);
}

std::string tree(const Schema& schema, ExprId id) {
  static constexpr std::string_view kOps[] = {
      "", "", "list", "+", "-", "*", "/", "//", "%", "neg", "==", "!=", "<", "<=", ">", ">=", "in", "not-in", "and", "or", "not", "=>"};
  const ExprNode& node = schema.nodes[id];
  if (node.op == Op::Const) return shown(schema.constants[node.a].value());
  if (node.op == Op::Read)
    return schema.key_of(node.slot) ? fmt::format("'{}'", schema.slot_name(node.slot)) : std::string(schema.slot_name(node.slot));
  std::string out = "(";
  if (node.op != Op::Call)
    out += kOps[static_cast<std::size_t>(node.op)];
  else
    for (const FunctionInfo& info : functions())
      if (info.function == node.function) out += info.name;
  for (ExprId child = node.a; child != kNoExpr; child = schema.nodes[child].next) out += " " + tree(schema, child);
  return out + ")";
}

struct Row {
  std::string_view text, expected;
};

void expect_trees(const std::vector<Row>& rows) {
  std::vector<std::string_view> texts;
  for (const Row& row : rows) texts.push_back(row.text);
  std::vector<std::string> errors;
  const auto data = load_lets(texts, errors);
  for (const std::string& error : errors) ADD_FAILURE() << error;
  ASSERT_TRUE(data);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(tree(data->schema, data->schema.lets[i].expr), rows[i].expected) << rows[i].text;
}

TEST(Compile, Precedence) {
  expect_trees({
      {"1 + 2 * 3", "(+ 1 (* 2 3))"},
      {"(1 + 2) * 3", "(* (+ 1 2) 3)"},
      {"tp - pp - 1", "(- (- tp pp) 1)"},
      {"tp // pp % cp * dp / 2", "(/ (* (% (// tp pp) cp) dp) 2)"},
      {"-tp * 2", "(* (neg tp) 2)"},
      {"-2 * -3.5", "(* -2 -3.5)"},
      {"1 - -1", "(- 1 -1)"},
      {"tp + 1 > pp * 2", "(> (+ tp 1) (* pp 2))"},
      {"not sp == fsdp", "(not (== sp fsdp))"},
      {"not not sp", "(not (not sp))"},
      {"sp or fsdp and offload", "(or sp (and fsdp offload))"},
      {"(sp or fsdp) and not offload", "(and (or sp fsdp) (not offload))"},
      {"sp and fsdp and offload", "(and sp fsdp offload)"},
      {"sp => fsdp => offload", "(=> sp (=> fsdp offload))"},
      {"sp or fsdp => offload and sp", "(=> (or sp fsdp) (and offload sp))"},
      {"(sp => fsdp) => offload", "(=> (=> sp fsdp) offload)"},
  });
}

TEST(Compile, Chains) {
  expect_trees({
      {"0 <= tp < 8", "(and (<= 0 tp) (< tp 8))"},
      {"1 < tp + 1 <= pp < cp", "(and (< 1 (+ tp 1)) (<= (+ tp 1) pp) (< pp cp))"},
      {"tp == pp == cp", "(and (== tp pp) (== pp cp))"},
      {"not 0 < tp < 8", "(not (and (< 0 tp) (< tp 8)))"},
      {"each(0 <= 'stages[*].start' < 8)", "(each (and (<= 0 'stages[*].start') (< 'stages[*].start' 8)))"},
  });
}

TEST(Compile, Words) {
  expect_trees({
      {"'word' in [\"a\", \"b\"]", "(in 'word' (list \"a\" \"b\"))"},
      {"'n' not in [1, 2,]", "(not-in 'n' (list 1 2))"},
      {"not 'n' in []", "(not (in 'n' (list)))"},
      {"overlap.p2p", "overlap.p2p"},
      {"'stages[*].name'", "'stages[*].name'"},
      {"[true, false, null, 1_000, 1e3, 2., 0.5]", "(list true false null 1000 1000.0 2.0 0.5)"},
      {"\"it's\" + 'word'", "(+ \"it's\" 'word')"},
      {R"("a \"b\" \\")", R"("a "b" \")"},
      {"  tp\n  +\t1 ", "(+ tp 1)"},
      {"if(sp, 1, 2)", "(if sp 1 2)"},
      {"max(tp, pp, 1)", "(max tp pp 1)"},
      {"9223372036854775807", "9223372036854775807"},
      {"e0 + 1", "(+ e0 1)"},
  });
}

TEST(Compile, Errors) {
  const std::vector<Row> rows = {
      {"tpp + 1", "0 no field tpp; did you mean tp?"},
      {"1 + overlap.p2q", "4 no field overlap.p2q; did you mean overlap.p2p?"},
      {"'stages[*].nam'", "0 no key 'stages[*].nam'; did you mean stages[*].name?"},
      {"zzzzzz", "0 no field zzzzzz"},
      {"1 + 'zzzzzz'", "4 no key 'zzzzzz'"},
      {"", "0 something is missing at the end"},
      {"1 +", "3 something is missing at the end"},
      {"(1 + 2", "6 ')' is missing here"},
      {"[1, 2", "5 ']' is missing here"},
      {"max(1, 2", "8 ')' is missing here"},
      {"1 2", "2 '2' is not expected here"},
      {"* 2", "0 '*' is not expected here"},
      {"tp = 2", "3 '=' has no meaning here"},
      {"tp $ 2", "3 '$' has no meaning here"},
      {"\"abc", "0 this quote is never closed"},
      {"tp not 3", "7 'in' is missing after 'not'"},
      {"9223372036854775808", "0 this integer does not fit 64 bits"},
      {"1.2.3", "0 this is no number"},
      {"tp and sp", "0 this is null or int, not a condition"},
      {"sp or 'word'", "6 this is null or text, not a condition"},
      {"not tp", "4 this is null or int, not a condition"},
      {"1 => sp", "0 this is int, not a condition"},
      {"tp == \"x\"", "3 null or int cannot be compared with text"},
      {"tp == 'word'", "3 null or int cannot be compared with null or text"},
      {"'list' < 3", "7 null or list cannot be compared with int"},
      {"tp in 3", "3 null or int cannot be compared with int"},
      {"tp in 'word'", "3 null or int cannot be compared with null or text"},
      {"tp + \"x\"", "3 there is no arithmetic on null or int and text"},
      {"'list' * 2", "7 there is no arithmetic on null or list and int"},
      {"-'word'", "0 there is no minus of null or text"},
      {"divides(1)", "0 divides takes 2 arguments, not 1"},
      {"min()", "0 min takes 1 to 8 arguments, not 0"},
      {"lookup(\"sizes\", \"layers\")", "0 lookup takes 3 to 5 arguments, not 2"},
      {"1 + frobnicate(2)", "4 no function frobnicate"},
      {"mni(1, 2)", "0 no function mni; did you mean min?"},
      {"divides(\"a\", 2)", "0 argument 1 of divides is text, not bool or int or real"},
      {"len(tp)", "0 argument 1 of len is null or int, not text or list or table"},
      {"form(\"flie\")", "0 form takes the name of one of the schema's forms, in double quotes"},
      {"written(tp + 1)", "0 written takes a key or a field"},
      {"lookup('word', \"layers\", \"a\")", "0 lookup takes the table's and the column's name in double quotes first"},
      {"lookup(\"size\", \"layers\", \"a\")", "0 no table size with a column layers behind 1 key"},
      {"lookup(\"sizes\", \"layer\", \"a\")", "0 no table sizes with a column layer behind 1 key"},
      {"shape(\"gpt2\", \"layer\")", "0 shape takes a model's name and a column of schemas/models.toml in double quotes"},
      {"lookup(\"gpus\", \"tflops\", gpu)", "0 no table gpus with a column tflops behind 1 key"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> errors;
    EXPECT_FALSE(load_lets({row.text}, errors)) << row.text;
    ASSERT_EQ(errors.size(), 1u) << row.text;
    // "schema.toml:13: message\n    text\n    ^" with the caret under the column
    const std::string& error = errors[0];
    const std::size_t message = error.find(": ") + 2, end = error.find('\n'), caret = error.rfind('\n') + 1;
    const std::string said = fmt::format("{} {}", error.find('^') - caret - 4, error.substr(message, end - message));
    EXPECT_EQ(said, row.expected) << row.text;
  }
}

// What nests without end is an error, not a crash.
TEST(Compile, Depth) {
  for (std::string_view opening : {"(", "not ", "- ", "[", "min(1, ", "sp => "}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += opening;
    std::vector<std::string> errors;
    EXPECT_FALSE(load_lets({text}, errors)) << opening;
    EXPECT_EQ(errors.size(), 1u) << opening;
  }
}

// ---- values

void expect_values(const std::vector<Row>& rows) {
  std::vector<std::string_view> texts;
  for (const Row& row : rows) texts.push_back(row.text);
  std::vector<std::string> errors;
  const auto data = load_lets(texts, errors);
  for (const std::string& error : errors) ADD_FAILURE() << error;
  ASSERT_TRUE(data);
  Judged run(data->schema, kRun);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(shown(run.evaluation().at(data->schema.let_slot(i))), rows[i].expected) << rows[i].text;
}

TEST(Value, Kleene) {
  // T and F as constants, U as a truth that nobody states, N as null, which counts as false.
  const std::pair<std::string_view, std::string_view> kSides[] = {
      {"T", "'yes'"}, {"F", "'no'"}, {"U", "kv_heads_replicated"}, {"N", "'maybe'"}};
  const std::pair<std::string_view, std::string_view> kTables[] = {
      // left T: T F U N, left F, left U, left N
      {"and", "TFUF FFFF UFUF FFFF"},
      {"or", "TTTT TFUF TUUU TFUF"},
      {"=>", "TFUF TTTT TUUU TTTT"},
  };
  for (const auto& [op, results] : kTables) {
    std::vector<std::string> expressions;
    std::vector<Row> rows;
    for (const auto& left : kSides)
      for (const auto& right : kSides) expressions.push_back(fmt::format("{} {} {}", left.second, op, right.second));
    std::string flat(results);
    std::erase(flat, ' ');
    for (std::size_t i = 0; i < expressions.size(); ++i)
      rows.push_back({expressions[i], flat[i] == 'T' ? "true" : flat[i] == 'F' ? "false" : "not stated"});
    expect_values(rows);
  }
  expect_values({
      {"not 'yes'", "false"},
      {"not 'no'", "true"},
      {"not kv_heads_replicated", "not stated"},
      {"not 'maybe'", "true"},
      {"'yes' and kv_heads_replicated and 'no'", "false"},
      {"kv_heads_replicated or 'no' or 'yes'", "true"},
      {"0 < vocab < 0", "not stated"},
      {"vocab < 1 and 'no'", "false"},
  });
}

TEST(Value, Integers) {
  expect_values({
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"7 // -2", "-4"},
      {"-7 // -2", "3"},
      {"6 // -2", "-3"},
      {"7 % 3", "1"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"-7 % -3", "-1"},
      {"6 % -3", "0"},
      {"7 / 2", "3.5"},
      {"6 / 2", "3.0"},
      {"true + true", "2"},
      {"-'yes'", "-1"},
      {"9223372036854775807 + 1", "absent"},
      {"-9223372036854775807 - 2", "absent"},
      {"-9223372036854775807 - 1", "-9223372036854775808"},
      {"4611686018427387904 * 2", "absent"},
      {"4611686018427387904 * -2", "-9223372036854775808"},
      {"(-9223372036854775807 - 1) // -1", "absent"},
      {"(-9223372036854775807 - 1) % -1", "absent"},
      {"-(-9223372036854775807 - 1)", "absent"},
      {"9007199254740993 == 9007199254740992", "false"},
      {"1 // 0", "absent"},
      {"1 % 0", "absent"},
      {"1 / 0", "absent"},
      {"1 // 'zero'", "absent"},
  });
}

TEST(Value, Reals) {
  expect_values({
      {"0.5 + 1", "1.5"},
      {"-7.5 // 2", "-4.0"},
      {"-7.5 % 2", "0.5"},
      {"7.5 % -2", "-0.5"},
      {"1.0 / 0", "absent"},
      {"1e308 * 10", "absent"},
      {"'half' * 4", "1.0"},
      {"1 == 1.0", "true"},
      {"1 < 1.5 < 2", "true"},
  });
}

TEST(Value, NullAndUnknown) {
  expect_values({
      {"'none' + 1", "absent"},
      {"'none' == null", "true"},
      {"'none' != null", "false"},
      {"'n' == null", "false"},
      {"'none' < 1", "absent"},
      {"'none' in [null, 1]", "true"},
      {"'none' == 0", "false"},
      {"vocab + 1", "not stated"},
      {"vocab == null", "not stated"},
      {"vocab in [1, 2]", "not stated"},
      {"[1, vocab]", "not stated"},
      {"exact(7, 2) + vocab", "inexact"},
      {"'opt.lr'", "null"},
      {"'env.LEVEL'", "not stated"},
      {"hidden // heads", "not stated"},
  });
}

TEST(Value, Comparisons) {
  expect_values({
      {"\"a\" == \"a\"", "true"},
      {"\"a\" < \"b\"", "true"},
      {"\"B\" < \"a\"", "true"},
      {"\"10\" < \"9\"", "true"},
      {"'none' == \"a\"", "false"},
      {"true == 1", "true"},
      {"'yes' > 'no'", "true"},
      {"[1, 2] == [1.0, 2]", "true"},
      {"[1, 2] == [2, 1]", "false"},
      {"'none' >= \"a\"", "absent"},
      {"2 in 'list'", "true"},
      {"2.0 in 'list'", "true"},
      {"4 in 'list'", "false"},
      {"4 not in 'list'", "true"},
      {"\"bC\" in 'word'", "true"},
      {"\"bc\" not in 'word'", "true"},
      {"'none' in 'word'", "absent"},
      {"5 in 'stages[*].start'", "true"},
      {"'stages[*].name'", "[\"a\", \"b\"]"},
      {"'stages[*].start'", "[null, 5, 9]"},
      {"\"a\" + \"b\"", "\"ab\""},
  });
}

// Every function, with its edges.
const std::vector<Row> kCalls = {
    {"divides(2, 8)", "true"},
    {"divides(3, 8)", "false"},
    {"divides(3, -9)", "true"},
    {"divides(0, 8)", "absent"},
    {"divides(0.5, 2)", "true"},
    {"divides(vocab, 8)", "not stated"},
    {"exact(8, 2)", "4"},
    {"exact(-8, 2)", "-4"},
    {"exact(8, 3)", "inexact"},
    {"exact(8, 0)", "absent"},
    {"exact(8, 0.5)", "absent"},
    {"exact(-9223372036854775807 - 1, -1)", "absent"},
    {"ceil_div(7, 2)", "4"},
    {"ceil_div(8, 2)", "4"},
    {"ceil_div(-7, 2)", "-3"},
    {"ceil_div(7, 0)", "absent"},
    {"ceil_div(9223372036854775807, -1)", "-9223372036854775807"},
    {"min(3, 1, 2)", "1"},
    {"min('list')", "1"},
    {"min(1, 0.5)", "0.5"},
    {"min('empty')", "absent"},
    {"min(2, 'none')", "2"},
    {"min('words')", "\"core_attn\""},
    {"max(3, 1, 2)", "3"},
    {"max('list')", "3"},
    {"max(1, vocab)", "not stated"},
    {"max([1, \"a\"])", "absent"},
    {"abs(-3)", "3"},
    {"abs(3)", "3"},
    {"abs(-0.5)", "0.5"},
    {"abs(-9223372036854775807 - 1)", "absent"},
    {"round(2.5)", "2"},
    {"round(3.5)", "4"},
    {"round(-2.6)", "-3"},
    {"round(7)", "7"},
    {"round(1e300)", "absent"},
    {"floor(2.9)", "2"},
    {"floor(-2.1)", "-3"},
    {"floor(1e19)", "absent"},
    {"if(true, 1, 2)", "1"},
    {"if('maybe', 1, 2)", "2"},
    {"if(kv_heads_replicated, 1, 2)", "not stated"},
    {"if('yes', 1, vocab)", "1"},
    {"written('half')", "true"},
    {"written('n')", "false"},
    {"written(tp)", "false"},
    {"written(vocab)", "false"},
    {"overridden('half')", "false"},
    {"started()", "false"},
    {"real(\"2.5\")", "2.5"},
    {"real(\"x\")", "null"},
    {"known(vocab)", "false"},
    {"known('none')", "true"},
    {"known(exact(7, 2))", "false"},
    {"set('none')", "false"},
    {"set('n')", "true"},
    {"set(vocab)", "not stated"},
    {"default('none', 3)", "3"},
    {"default('n', 3)", "7"},
    {"default(vocab, 3)", "not stated"},
    {"default('n', vocab)", "7"},
    {"len('list')", "3"},
    {"len(\"four\")", "4"},
    {"len('empty')", "0"},
    {"len('model')", "1"},
    {"len('opt')", "absent"},
    {"sum('list')", "6"},
    {"sum('empty')", "0"},
    {"sum([0.5, 1])", "1.5"},
    {"sum('words')", "absent"},
    {"sum([9223372036854775807, 1])", "absent"},
    {"unique('list')", "true"},
    {"unique([1, 1.0])", "false"},
    {"unique('empty')", "true"},
    {"unique([null, 1, null])", "true"},
    {"count('list', 1)", "1"},
    {"count([1, 1.0, true, \"1\"], 1)", "3"},
    {"count(\"aaaa\", \"aa\")", "2"},
    {"count(\"aa\", \"\")", "absent"},
    {"count(\"aa\", 1)", "absent"},
    {"at('list', 0)", "3"},
    {"at('list', -1)", "2"},
    {"at('list', 3)", "null"},
    {"at('list', -4)", "null"},
    {"at(\"abc\", 1)", "\"b\""},
    {"each('stages[*].start' < 10)", "true"},
    {"each('stages[*].start' < 9)", "false"},
    {"each(set('stages[*].name'))", "false"},
    {"each('stages[*].name' != \"a\" => 'stages[*].start' > 1)", "true"},
    {"each('stages[*].start' < vocab)", "not stated"},
    {"each('stages[*].start' > 1 and 'stages[*].start' < vocab)", "false"},
    {"each('n' == 0)", "true"},
    {"lower('word')", "\"abc\""},
    {"lower('none')", "null"},
    {"upper(\"a1é\")", "\"A1é\""},
    {"starts_with('word', \"Ab\")", "true"},
    {"starts_with('word', \"ab\")", "false"},
    {"starts_with('none', \"\")", "absent"},
    {"ends_with('word', \"C\")", "true"},
    {"ends_with(\"\", \"C\")", "false"},
    {"contains('word', \"b\")", "true"},
    {"contains('list', 1)", "true"},
    {"contains('list', \"1\")", "false"},
    {"contains('none', 1)", "absent"},
    {"split(\"a,b,,c\", \",\")", "[\"a\", \"b\", \"\", \"c\"]"},
    {"split(\"\", \",\")", "[\"\"]"},
    {"split(\"abc\", \"\")", "absent"},
    {"strip(\"  a b\t\")", "\"a b\""},
    {"strip('none')", "null"},
    {"int(\" 12 \")", "12"},
    {"int(\"+3\")", "3"},
    {"int(\"-3\")", "-3"},
    {"int(\"1.5\")", "null"},
    {"int(\"\")", "null"},
    {"int(\"9223372036854775808\")", "null"},
    {"int(2.9)", "2"},
    {"int(-2.9)", "-2"},
    {"int(9007199254740993)", "9007199254740993"},
    {"int(1e300)", "null"},
    {"int('none')", "null"},
    {"digits(\"012\")", "true"},
    {"digits(\"\")", "false"},
    {"digits(\"-1\")", "false"},
    {"digits('none')", "absent"},
    {"str(8)", "\"8\""},
    {"str(true)", "\"true\""},
    {"str('none')", "\"null\""},
    {"str('list')", "\"[3, 1, 2]\""},
    {"lookup(\"sizes\", \"layers\", \"llama\", \"70B\")", "80"},
    {"lookup(\"sizes\", \"layers\", \"gpt\")", "48"},
    {"lookup(\"sizes\", \"ratio\", \"gpt\", \"8B\")", "4.0"},
    {"lookup(\"sizes\", \"gated\", \"llama\", \"8B\")", "true"},
    {"lookup(\"sizes\", \"rest\", \"llama\", \"8B\")", "null"},
    {"lookup(\"sizes\", \"rest\", \"llama\", \"70B\")", "\"large\""},
    {"lookup(\"sizes\", \"rest\", \"gpt\", \"8B\")", "-1"},
    {"lookup(\"sizes\", \"layers\", \"gpt\", \"70B\")", "null"},
    {"lookup(\"sizes\", \"layers\", 'none')", "null"},
    {"lookup(\"sizes\", \"layers\", \"llama\", gpu)", "not stated"},
    {"lookup(\"gpus\", \"capability\", \"H100\")", "9.0"},
    {"form(\"file\")", "true"},
    {"variant('model')", "\"Sparse\""},
    {"variant('opt')", "null"},
    {"layout(\"Et|(tt|)*2L\")", "[\"Et\", \"tt\", \"tt\", \"L\"]"},
    {"layout(\"E,t*3|tL\")", "[\"Ettt\", \"tL\"]"},
    {"layout(\"\")", "[\"\"]"},
    {"layout(\"t|\")", "[\"t\", \"\"]"},
    {"layout(\"(t|\")", "null"},
    {"layout(\"t)|\")", "null"},
    {"layout(\"t*x\")", "null"},
    {"layout(\"t*999999999\")", "null"},
    {"layout(\"((t|)*999)*999\")", "null"},
    {"layout(\"t?\")", "null"},
    {"layout('none')", "null"},
    {"join('list', \"-\")", "\"3-1-2\""},
    {"join('empty', \"-\")", "\"\""},
    {"join([\"\", \"\"], \"-\")", "\"-\""},
    {"except('list', [1, 5])", "[3, 2]"},
    {"except('list', 'list')", "[]"},
    {"except('none', 'list')", "absent"},
    {"where('words', \"o\")", "[0, 1]"},
    {"where('words', \"attn\")", "[1]"},
    {"where('list', \"1\")", "[]"},
    {"only(\"aab\", \"ab\")", "true"},
    {"only(\"abc\", \"ab\")", "false"},
    {"only(\"\", \"ab\")", "true"},
    {"items(\"([0]*3+[1])*2\")", "[0, 0, 0, 1, 0, 0, 0, 1]"},
    {"items(\"[1, 2,]\")", "[1, 2]"},
    {"items(\"[]\")", "[]"},
    {"items(\"[1]*0\")", "[]"},
    {"items(\"[1]*-1\")", "[]"},
    {"items(\"[1 2]\")", "null"},
    {"items(\"[1]*\")", "null"},
    {"items(\"[1]*999999999\")", "null"},
    {"items(\"(([1]*999)*999)*999\")", "null"},
    {"items(\"__import__\")", "null"},
    {"step_starts(\"0:64 1.5K:128, 3M:256\", 1)", "[0, 1500, 3000000]"},
    {"step_starts(\"1000:2 0:1\", 300)", "[0, 3]"},
    {"step_starts(\"0:1\", 0)", "absent"},
    {"step_starts(\"0\", 1)", "null"},
    {"step_starts(\"nan:1\", 1)", "null"},
    {"step_starts(\"inf:1\", 1)", "null"},
    {"step_starts('none', 1)", "null"},
    {"step_sizes(\"1b:2 0:64\")", "[64, 2]"},
    {"step_sizes(\"\")", "null"},
    {"step_sizes(\"0:x\")", "null"},
    {"overridden('none')", "false"},
    {"shape(\"Qwen/Qwen3-8B\", \"layers\")", "36"},
    {"shape(\"qwen3-8b\", \"tied_embeddings\")", "false"},
    {"shape(\"Qwen/Qwen3-8B\", \"experts\")", "null"},
    {"shape(\"/models/Qwen3-8B\", \"layers\")", "not stated"},
    {"shape(null, \"layers\")", "not stated"},
    {"plural(1, \"copy\")", "\"1 copy\""},
    {"plural(8, \"copy\")", "\"8 copies\""},
};

TEST(Value, Calls) { expect_values(kCalls); }

TEST(Value, EveryFunctionHasARow) {
  for (const FunctionInfo& info : functions()) {
    const bool called =
        std::any_of(kCalls.begin(), kCalls.end(), [&](const Row& row) { return row.text.starts_with(fmt::format("{}(", info.name)); });
    EXPECT_TRUE(called) << info.name;
  }
}

TEST(Value, LetsInACircleAreUnknown) {
  std::vector<std::string> errors;
  const auto data = load_lets({"e1 + 1", "e0 - 1", "default(e2, 1)"}, errors);
  ASSERT_TRUE(data);
  Judged run(data->schema, "");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(shown(run.evaluation().at(data->schema.let_slot(i))), "not stated");
}

}  // namespace
}  // namespace shardlint::test
