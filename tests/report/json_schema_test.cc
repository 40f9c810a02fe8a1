// The exported JSON Schemas: valid themselves, and as open as the frameworks are; read by what editors use for YAML and TOML.
#include <gmock/gmock.h>
#include <llvm/Support/JSON.h>

#include "checker/report/json_schema.h"
#include "tests/program.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Not;

class JsonSchema : public InFolder {};

TEST_F(JsonSchema, EachIsAValidSchemaThatTakesWhatTheFrameworkTakes) {
  for (const Schema* schema : schemas()) {
    llvm::Expected<llvm::json::Value> read = llvm::json::parse(json_schema(*schema));
    ASSERT_TRUE(static_cast<bool>(read)) << schema->name;
    put(std::string(schema->name) + ".schema.json", json_schema(*schema));
  }
  if (sh("python3 -c 'import jsonschema, yaml'").exit) GTEST_SKIP() << "python3-jsonschema is not installed";
  // Every fixture that its framework accepts, where the name says which it is.
  put("validate.py", R"(import glob, json, os, sys, jsonschema, yaml
try: import tomllib
except ImportError: tomllib = None
schemas = {}
for path in glob.glob('*.schema.json'):
    name = path[:-len('.schema.json')]
    schemas[name] = json.load(open(path))
    jsonschema.Draft7Validator.check_schema(schemas[name])
checked = 0
for path in sorted(glob.glob(sys.argv[1] + '/fixtures/ok/*')):
    base = os.path.basename(path)
    fits = [name for name in schemas if base.startswith(name + '-')]
    if not fits: continue
    name = max(fits, key=len)
    try:
        if path.endswith('.toml') and tomllib: value = tomllib.load(open(path, 'rb'))
        elif path.endswith(('.yaml', '.yml')): value = yaml.safe_load(open(path))
        elif path.endswith('.json'): value = json.load(open(path))
        else: continue
    except Exception: continue
    for error in jsonschema.Draft7Validator(schemas[name]).iter_errors(value):
        print(base, '/'.join(map(str, error.path)), error.message[:200])
    checked += 1
print('checked', checked)
)");
  const Ended ran = sh("python3 validate.py '" SHARDLINT_ROOT "'");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::MatchesRegex("checked [0-9]+\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("checked 0")));
}

TEST_F(JsonSchema, TheCommandWritesItAndNamesTheNearest) {
  EXPECT_EQ(shardlint("schema torchtitan --json-schema").out, json_schema(*schema_named("torchtitan")));
  const Ended ran = shardlint("schema torchtitn --json-schema");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.err, HasSubstr("did you mean `torchtitan`?"));
}

// A language server in a conversation of five messages.
TEST_F(JsonSchema, YamlLanguageServerTakesIt) {
  const std::string server = SHARDLINT_ROOT "/build/npm/node_modules/yaml-language-server/bin/yaml-language-server";
  if (!std::filesystem::exists(server) || !installed("node")) GTEST_SKIP() << "yaml-language-server is not there: ./dev setup fetches it";
  put("nanotron.schema.json", json_schema(*schema_named("nanotron")));
  put("talk.js", R"(const { spawn } = require('child_process');
const fs = require('fs');
const server = spawn('node', [process.argv[2], '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (m) => { const t = JSON.stringify({ jsonrpc: '2.0', ...m }); server.stdin.write(`Content-Length: ${Buffer.byteLength(t)}\r\n\r\n${t}`); };
const uri = 'file://' + process.cwd() + '/run.yaml';
let buffer = Buffer.alloc(0);
const done = (text) => { console.log(text); server.kill(); process.exit(0); };
server.stdout.on('data', (data) => {
  buffer = Buffer.concat([buffer, data]);
  for (;;) {
    const head = buffer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = parseInt(/Content-Length: (\d+)/.exec(buffer.slice(0, head))[1]);
    if (buffer.length < head + 4 + length) return;
    const message = JSON.parse(buffer.slice(head + 4, head + 4 + length));
    buffer = buffer.slice(head + 4 + length);
    if (message.id === 1 && message.result) {
      send({ method: 'initialized', params: {} });
      send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'yaml', version: 1, text: fs.readFileSync('run.yaml', 'utf8') } } });
    } else if (message.method === 'textDocument/publishDiagnostics' && message.params.uri === uri) {
      done(JSON.stringify(message.params.diagnostics.map((d) => d.message)));
    } else if (message.id !== undefined && message.method) {
      send({ id: message.id, result: message.method === 'workspace/configuration' ? message.params.items.map(() => null) : null });
    }
  }
});
send({ id: 1, method: 'initialize', params: { processId: process.pid, rootUri: null, capabilities: {} } });
setTimeout(() => done('no answer'), 30000);
)");
  const std::string modeline = "# yaml-language-server: $schema=./nanotron.schema.json\n";
  put("run.yaml", modeline + "parallelism: 3\n");
  Ended ran = sh("node talk.js '" + server + "'");
  EXPECT_THAT(ran.out, HasSubstr("Incorrect type. Expected")) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("no answer")));
}

TEST_F(JsonSchema, TaploTakesIt) {
  const std::string taplo = SHARDLINT_ROOT "/build/npm/node_modules/.bin/taplo";
  if (!std::filesystem::exists(taplo) || !installed("node")) GTEST_SKIP() << "taplo is not there: ./dev setup fetches it";
  put("torchtitan.schema.json", json_schema(*schema_named("torchtitan")));
  const std::string lint = "'" + taplo + "' lint --schema \"file://$PWD/torchtitan.schema.json\" ";
  Ended ran = sh(lint + "'" SHARDLINT_ROOT "'/fixtures/ok/torchtitan-500b.toml");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  put("run.toml", "[parallelism]\ntensor_parallel_degree = \"8\"\n");
  ran = sh(lint + "run.toml");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_THAT(ran.err, HasSubstr("\"8\" is not of type \"integer\""));
}

}  // namespace
}  // namespace shardlint
