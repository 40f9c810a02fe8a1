// The VS Code extension, run under node with a stub in the editor's place: it starts the server, shows findings and state, offers fixes,
// selects the reason of an ignore, restarts, and says so where the program is missing.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');
const {test} = require('node:test');
const {host} = require('./host.js');

const extension = process.env.EXTENSION;
let current;
const load = Module._load;
Module._load = function (name, ...rest) { return name === 'vscode' ? current.vscode : load.call(this, name, ...rest); };

const text = '# größe 🚀\ntraining = {dataset_path = "/data/🚀", dataset = "c4", ' +
  'local_batch_size = 32, global_batch_size = 2500, seq_len = 4096, steps = 10}\n\n' +
  '[model]\nname = "llama3"\nflavor = "70B"\n\n[parallelism]\ntensor_parallel_degree = 8\npipeline_parallel_degree = 8\n';

function start(t, settings = {}) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'shardlint-vscode-')));
  fs.writeFileSync(path.join(folder, 'run.toml'), text);
  fs.writeFileSync(path.join(folder, 'shardlint.toml'), '[cluster]\nnodes = 640\ngpus_per_node = 8\n');
  process.env.XDG_CACHE_HOME = path.join(folder, '.cache');
  current = host({'shardlint.path': process.env.SHARDLINT, 'shardlint.debounce': 0, ...settings}, folder);
  for (const key of Object.keys(require.cache)) if (key.startsWith(extension)) delete require.cache[key];
  const module = require(path.join(extension, 'out/extension.js'));
  const context = {subscriptions: []};
  t.after(async () => {
    await module.deactivate();
    context.subscriptions.forEach((one) => one.dispose());
    fs.rmSync(folder, {recursive: true, force: true, maxRetries: 20, retryDelay: 50});
  });
  return {module, context, folder};
}
async function until(test, what) {
  for (let i = 0; i < 500; ++i) {
    const found = test();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`waited in vain for ${what}`);
}
const none = {isCancellationRequested: false, onCancellationRequested: () => ({dispose() {}})};

test('findings, fixes, hover, state, restart', {timeout: 60000}, async (t) => {
  const {module, context, folder} = start(t);
  const document = current.open(path.join(folder, 'run.toml'), 'toml');
  await module.activate(context);
  const {seen} = current;
  await until(() => seen.status.text === '$(check) shardlint', 'the server to run');
  const of_run = () => (seen.diagnostics.get(document.uri.toString()) || [])
    .filter((item) => /cannot be shared by 80 replicas/.test(item.message));
  const [finding] = await until(() => of_run().length && of_run(), 'the finding');
  const column = text.split('\n')[1].indexOf('2500');
  assert.deepEqual([finding.range.start.line, finding.range.start.character], [1, column]);
  assert.equal(finding.severity, 0);

  const actions = await seen.providers.actions.provideCodeActions(document, finding.range,
    {diagnostics: [], only: undefined, triggerKind: 1}, none);
  const preferred = actions.find((action) => action.isPreferred);
  assert.equal(preferred.edit.edits[0][1][0].newText, '2560');
  const hover = await seen.providers.hover.provideHover(document, new current.Position(8, 3), none);
  assert.match(JSON.stringify(hover.contents), /tensor-parallel ranks/);

  // An ignore is followed by the command that selects its reason.
  const ignore = actions.find((action) => action.title.startsWith('Ignore '));
  assert.equal(ignore.command.command, 'shardlint.select');
  await seen.commands.get('shardlint.select')(...ignore.command.arguments);
  assert.equal(seen.selected.start.line, 1);
  const reason = ignore.edit.edits[0][1][0].newText.length - 'say why'.length;
  assert.equal(seen.selected.start.character, text.split('\n')[1].length + reason);

  await document.replace('2500', '2560');
  await until(() => of_run().length === 0, 'the finding to go');

  await seen.commands.get('shardlint.restart')();
  await until(() => seen.status.text === '$(check) shardlint', 'the server to run again');
  await document.replace('2560', '2500');
  await until(() => of_run().length > 0, 'the finding to come back');
  await seen.commands.get('shardlint.showOutput')();
  assert.ok(seen.output);
});

test('a program that is missing is said, and does not break the editor', {timeout: 60000}, async (t) => {
  const {module, context} = start(t, {'shardlint.path': '/nowhere/shardlint'});
  await module.activate(context);
  await until(() => current.seen.errors.some((message) => message.includes('`/nowhere/shardlint` cannot be started')), 'the message');
  assert.equal(current.seen.status.text, '$(error) shardlint');
});

test('the package holds what the extension needs, and nothing of its workshop', () => {
  const {execFileSync} = require('node:child_process');
  const listed = execFileSync('npx', ['--no-install', 'vsce', 'ls', '--no-yarn'], {cwd: extension, encoding: 'utf8'}).split('\n');
  for (const name of ['package.json', 'icon.png', 'out/extension.js']) assert.ok(listed.includes(name), name);
  assert.ok(listed.some((name) => name.startsWith('node_modules/vscode-languageclient/')));
  assert.ok(!listed.some((name) => name.startsWith('src/') || name.includes('typescript')));
  const vsix = path.join(extension, 'shardlint.vsix');
  execFileSync('npx', ['--no-install', 'vsce', 'package', '--allow-missing-repository', '--out', vsix],
    {cwd: extension, encoding: 'utf8', stdio: 'pipe'});
  assert.ok(fs.statSync(vsix).size > 100000);
});
