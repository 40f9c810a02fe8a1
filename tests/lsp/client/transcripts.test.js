// What an editor asks, and what it gets: one transcript for each feature, against the released program.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {test} = require('node:test');
const {Client, everything} = require('./client.js');
const {titan, cluster, parent, child, script} = require('./jobs.js');

const fixtures = path.join(process.env.SHARDLINT_ROOT, 'fixtures');
const of = (list, rule) => list.filter((item) => item.code && item.code.includes(rule));
const has = (rule) => (list) => of(list, rule).length > 0;
const without = (rule) => (list) => of(list, rule).length === 0;

const open = Client.open;
const job = {'run.toml': titan, 'shardlint.toml': cluster};

test('a finding stands where it is written, in the units that were agreed', async (t) => {
  for (const [offered, agreed] of [[undefined, 'utf-16'], [['utf-16'], 'utf-16'], [['utf-16', 'utf-8'], 'utf-8'], [['utf-32'], 'utf-32']]) {
    const capabilities = {...everything, general: offered ? {positionEncodings: offered} : {}};
    const client = await open(t, job, {capabilities});
    assert.equal(client.answer.capabilities.positionEncoding, agreed);
    await client.open('run.toml');
    const [finding] = of(await client.diagnostics('run.toml'), 'global-batch-not-divisible');
    const before = titan.split('\n')[1].split('2500')[0];
    const expected = {'utf-16': before.length, 'utf-8': Buffer.byteLength(before), 'utf-32': [...before].length}[agreed];
    assert.deepEqual(finding.range.start, {line: 1, character: expected});
    assert.equal(finding.range.end.character, expected + 4);
    assert.equal(await client.stop(), 0);
  }
});

test('a finding has its severity, source, rule, page, effect and the places that it rests on', async (t) => {
  const client = await open(t, job);
  await client.open('run.toml');
  const [finding] = of(await client.diagnostics('run.toml'), 'global-batch-not-divisible');
  assert.equal(finding.severity, 1);
  assert.equal(finding.source, 'shardlint');
  assert.match(finding.message, /^2,500 sequences cannot be shared by 80 replicas/);
  assert.match(finding.message, /\n.*TorchTitan/);
  const page = fs.readFileSync(new URL(finding.codeDescription.href), 'utf8');
  assert.ok(page.startsWith(`# ${finding.code}`));
  const places = finding.relatedInformation.map((note) => `${path.basename(note.location.uri)}:${note.location.range.start.line}`);
  assert.ok(places.includes('shardlint.toml:1') && places.includes('run.toml:8'), places.join());
});

test('an editor that shows no related places gets the reasons as text', async (t) => {
  const capabilities = structuredClone(everything);
  capabilities.textDocument.publishDiagnostics = {};
  const client = await open(t, job, {capabilities});
  await client.open('run.toml');
  const [finding] = of(await client.diagnostics('run.toml'), 'global-batch-not-divisible');
  assert.equal(finding.relatedInformation, undefined);
  assert.equal(finding.codeDescription, undefined);
  assert.match(finding.message, /\n= nodes is 640   shardlint.toml:2\n/);
});

test('findings follow what is typed, version by version, and the saved file', async (t) => {
  const client = await open(t, job);
  await client.open('run.toml');
  await client.diagnostics('run.toml', has('global-batch-not-divisible'));
  await client.replace('run.toml', '2500', '2560');
  await client.diagnostics('run.toml', without('global-batch-not-divisible'));
  await client.replace('run.toml', '2560', '2500');
  await client.diagnostics('run.toml', has('global-batch-not-divisible'));
  // Dirty buffers win over the disk until they are closed.
  await client.close('run.toml');
  fs.writeFileSync(path.join(client.root, 'run.toml'), titan.replace('2500', '2560'));
  await client.notify('workspace/didChangeWatchedFiles', {changes: [{uri: client.uri('run.toml'), type: 2}]});
  await client.diagnostics('run.toml', without('global-batch-not-divisible'));
  const versions = client.history.filter((entry) => entry.uri === client.uri('run.toml') && entry.version !== undefined).map((entry) =>
    entry.version);
  assert.deepEqual(versions, [...versions].sort((a, b) => a - b));
});

test('what is typed quickly is checked once, when it stops', async (t) => {
  const client = await open(t, job, {options: {debounce: 250}});
  await client.open('run.toml');
  await client.diagnostics('run.toml');
  const before = client.history.length;
  for (const batch of ['2501', '2502', '2503', '2504', '2560']) await client.replace('run.toml',
      /global_batch_size = (\d+)/.exec(client.text('run.toml'))[1], batch);
  await client.diagnostics('run.toml', without('global-batch-not-divisible'));
  assert.equal(client.history.length, before + 1);
});

test('a file that is no training config gets nothing at all', async (t) => {
  const files = {
    'compose.yaml': 'services:\n  web:\n    image: nginx\n    ports: ["80:80"]\n', 'broken.yaml': 'a: [1,\nb: {{ .Values.x }}\n',
    'package.json': '{"name": "x",, }', 'pyproject.toml': '[tool.ruff]\nline-length = 100\nline-length = 1\n',
        'build.sh': '#!/bin/sh\nmake -j8\n',
  };
  const client = await open(t, files);
  for (const name of Object.keys(files)) await client.open(name);
  for (const name of Object.keys(files)) {
    assert.ok(await client.quiet(name, 100), name);
    assert.equal(await client.request('textDocument/hover', client.at(name, client.text(name)[0])), null);
    assert.deepEqual(await client.request('textDocument/codeLens', client.of(name)), []);
    assert.deepEqual(await client.request('textDocument/inlayHint', client.of(name)), []);
    assert.deepEqual((await client.request('textDocument/completion', client.at(name, client.text(name)[0], 1))).items, []);
    assert.equal(await client.request('textDocument/documentSymbol', client.of(name)), null);
    assert.deepEqual(await client.actions(name, {line: 0, character: 0}), []);
  }
});

test('fixes are offered with the preferred one marked, and mend the file', async (t) => {
  const client = await open(t, job);
  await client.open('run.toml');
  const [finding] = of(await client.diagnostics('run.toml'), 'global-batch-not-divisible');
  const actions = await client.actions('run.toml', finding.range.start);
  const fixes = actions.filter((action) => action.edit && action.title.startsWith('Set '));
  assert.ok(fixes.length > 1);
  assert.deepEqual(fixes.map((fix) => !!fix.isPreferred), fixes.map((_, i) => i === 0));
  assert.equal(fixes[0].diagnostics[0].code, finding.code);
  const changed = await client.apply(fixes[0].edit);
  assert.equal(changed['run.toml'], titan.replace('2500', '2560'));
  await client.diagnostics('run.toml', without('global-batch-not-divisible'));
});

test('a finding is ignored where it stands, and the ignore works', async (t) => {
  const client = await open(t, job);
  await client.open('run.toml');
  const [finding] = of(await client.diagnostics('run.toml'), 'global-batch-not-divisible');
  const ignore = (await client.actions('run.toml', finding.range.start)).find((action) => action.title.startsWith('Ignore '));
  const {['run.toml']: text} = await client.apply(ignore.edit);
  assert.match(text.split('\n')[1], /# shardlint: ignore\[.*global-batch-not-divisible\] say why$/);
  await client.diagnostics('run.toml', without('global-batch-not-divisible'));
});

test('all safe fixes of a file are made at once', async (t) => {
  const text = '# 🚀\n' + fs.readFileSync(path.join(fixtures, 'ok/nanotron-500b.yaml'), 'utf8').replace(/ learning_rate: .*/,
    ' learning_rate: 1e-5  # 🚀').replace(/min_decay_lr: .*/, 'min_decay_lr: 1e-6');
  const client = await open(t, {'run.yaml': text});
  await client.open('run.yaml');
  const before = await client.diagnostics('run.yaml', (list) => of(list, 'number-read-as-text').length === 2);
  const [all] = await client.actions('run.yaml', {line: 0, character: 0}, {line: 200, character: 0}, ['source.fixAll']);
  assert.equal(all.kind, 'source.fixAll.shardlint');
  assert.equal(all.edit, undefined);
  const resolved = await client.request('codeAction/resolve', all);
  const changed = await client.apply(resolved.edit);
  assert.match(changed['run.yaml'], /learning_rate: 1\.0e-5  # 🚀/);
  assert.match(changed['run.yaml'], /min_decay_lr: 1\.0e-6/);
  const after = await client.diagnostics('run.yaml', (list) => list.length < before.length);
  assert.equal(of(after, 'number-read-as-text').length, 0);
});

test('the page of a rule and the plan are opened in the editor', async (t) => {
  const client = await open(t, job);
  await client.open('run.toml');
  const [finding] = of(await client.diagnostics('run.toml'), 'global-batch-not-divisible');
  const about = (await client.actions('run.toml', finding.range.start)).find((action) => action.title.startsWith('About '));
  await client.request('workspace/executeCommand', {command: about.command.command, arguments: about.command.arguments});
  const [lens] = await client.request('textDocument/codeLens', client.of('run.toml'));
  await client.request('workspace/executeCommand', {command: lens.command.command, arguments: lens.command.arguments});
  const shown = client.calls.filter((call) => call.method === 'window/showDocument').map((call) =>
    fs.readFileSync(new URL(call.params.uri), 'utf8'));
  assert.match(shown[0], /global-batch-not-divisible/);
  assert.match(shown[1], /^run.toml +TorchTitan +5,120 GPUs = TP 8 x PP 8/);
  await assert.rejects(client.request('workspace/executeCommand', {command: 'shardlint.explain', arguments: ['no/such']}), /no page/);
  await assert.rejects(client.request('workspace/executeCommand', {command: 'rm'}), /no command/);
});

test('an editor that opens no documents is told where the page lies; an action without an edit is complete', async (t) => {
  const capabilities = structuredClone(everything);
  delete capabilities.window.showDocument;
  const client = await open(t, job, {capabilities});
  await client.open('run.toml');
  const [finding] = of(await client.diagnostics('run.toml'), 'global-batch-not-divisible');
  const about = (await client.actions('run.toml', finding.range.start)).find((action) => action.title.startsWith('About '));
  assert.deepEqual(await client.request('codeAction/resolve', about), about);
  const page = await client.request('workspace/executeCommand', {command: about.command.command, arguments: about.command.arguments});
  const [said] = await client.until(() => client.messages.length && client.messages, 5000, () => 'a message');
  assert.equal(said.message, `shardlint: see ${new URL(page).pathname}`);
  assert.ok(!client.calls.some((call) => call.method === 'window/showDocument'));
});

test('the cluster is set in shardlint.toml, which is made or completed', async (t) => {
  const client = await open(t, {'run.toml': titan});
  await client.open('run.toml');
  await client.diagnostics('run.toml');
  const set = (await client.actions('run.toml', {line: 0, character: 0})).find((action) => action.title.includes('cluster'));
  assert.equal(set.kind, 'refactor');
  const changed = await client.apply(set.edit);
  assert.equal(changed['shardlint.toml'], '[cluster]\nnodes = 1\ngpus_per_node = 8\n');
  await client.notify('workspace/didChangeWatchedFiles', {changes: [{uri: client.uri('shardlint.toml'), type: 1}]});
  await client.diagnostics('run.toml', has('parallel'));  // eight GPUs are too few for TP 8 x PP 8

  const other = await open(t, {'run.toml': titan, 'shardlint.toml': '# ü🚀\n[cluster]\ngpu = "H100"\n'});
  await other.open('run.toml');
  await other.diagnostics('run.toml');
  const more = (await other.actions('run.toml', {line: 0, character: 0})).find((action) => action.title.includes('cluster'));
  const completed = await other.apply(more.edit);
  assert.equal(completed['shardlint.toml'], '# ü🚀\n[cluster]\ngpu = "H100"\nnodes = 1\ngpus_per_node = 8\n');
});

test('the cluster is set where the editor creates no files', async (t) => {
  const capabilities = structuredClone(everything);
  capabilities.workspace.workspaceEdit = {};
  const client = await open(t, {'run.toml': titan}, {capabilities});
  await client.open('run.toml');
  await client.diagnostics('run.toml');
  const set = (await client.actions('run.toml', {line: 0, character: 0})).find((action) => action.title.includes('cluster'));
  assert.equal(set.edit, undefined);
  const made = await client.request('workspace/executeCommand', set.command);
  assert.equal(made, client.uri('shardlint.toml'));
  assert.equal(fs.readFileSync(path.join(client.root, 'shardlint.toml'), 'utf8'), '[cluster]\nnodes = 1\ngpus_per_node = 8\n');
  await client.diagnostics('run.toml', has('parallel'));
  // It never writes over a file, nor any other file.
  await assert.rejects(client.request('workspace/executeCommand', set.command), /cannot be created/);
  await assert.rejects(client.request('workspace/executeCommand', {...set.command, arguments: [client.uri('x.toml')]}),
    /cannot be created/);
});

test('hover says what a key means, where its value comes from and what follows', async (t) => {
  const client = await open(t, job);
  await client.open('run.toml');
  const at = client.at('run.toml', 'tensor_parallel_degree', 3);
  const hover = await client.request('textDocument/hover', at);
  const text = hover.contents.value;
  assert.equal(hover.contents.kind, 'markdown');
  assert.match(text, /^\*\*`parallelism.tensor_parallel_degree`\*\* · TorchTitan/);
  assert.match(text, /In the plan it is `tp`: tensor-parallel ranks/);
  assert.match(text, /an integer; default `1`/);
  assert.match(text, /Value `8`\n/);  // it stands here: no link leads anywhere else
  assert.match(text, /5,120 GPUs = TP 8 x PP 8 x DP 80/);
  assert.equal(client.slice('run.toml', hover.range), 'tensor_parallel_degree');
  const value = await client.request('textDocument/hover', client.at('run.toml', '2500', 1));
  assert.equal(client.slice('run.toml', value.range), '2500');
  assert.equal(await client.request('textDocument/hover', client.at('run.toml', 'größe')), null);
});

test('hover without Markdown has no marks', async (t) => {
  const capabilities = structuredClone(everything);
  capabilities.textDocument.hover = {contentFormat: ['plaintext']};
  const client = await open(t, job, {capabilities});
  await client.open('run.toml');
  const hover = await client.request('textDocument/hover', client.at('run.toml', 'tensor_parallel_degree', 3));
  assert.equal(hover.contents.kind, 'plaintext');
  assert.doesNotMatch(hover.contents.value, /[`*\]]/);
});

test('the plan stands on top, and derived numbers at the lines that decide them', async (t) => {
  const client = await open(t, {...job, 'run.toml': titan.replace('2500', '2560')});
  await client.open('run.toml');
  const [lens] = await client.request('textDocument/codeLens', client.of('run.toml'));
  assert.match(lens.command.title, /^5,120 GPUs = TP 8 x PP 8 x DP 80 · (\d+ [MG]B state · )?bubble 17\.9 %$/);
  assert.deepEqual(lens.range.start, {line: 0, character: 0});
  const hints = await client.request('textDocument/inlayHint', client.of('run.toml'));
  const at = Object.fromEntries(hints.map((hint) => [hint.position.line, hint]));
  assert.match(at[1].label, /^= 32 micro-batches · 10,485,760 tokens a step$/);
  assert.equal(at[1].position.character, titan.split('\n')[1].length);
  assert.match(at[9].label, /^= .*bubble 17\.9 %$/);
  const some = await client.request('textDocument/inlayHint', client.of('run.toml', {line: 9, character: 0}, {line: 9, character: 5}));
  assert.deepEqual(some.map((hint) => hint.position.line), [9]);
  // Where the model's sizes are known, its state is too.
  const large = await open(t, {'run.yaml': '# 🚀\n' + fs.readFileSync(path.join(fixtures, 'ok/megatron-500b.yaml'), 'utf8'),
    'shardlint.toml': cluster});
  await large.open('run.yaml');
  const [title] = await large.request('textDocument/codeLens', large.of('run.yaml'));
  assert.match(title.command.title, /^5,120 GPUs = TP 8 x PP 8 x DP 80 · \d+ GB state · bubble \d+\.\d %$/);
  const labels = (await large.request('textDocument/inlayHint', large.of('run.yaml'))).map((hint) => hint.label).join();
  assert.match(labels, /12 layers a stage/);
  assert.match(labels, /494 B parameters/);
});

test('keys are completed at their place, with type and default', async (t) => {
  const client = await open(t, job);
  await client.open('run.toml');
  await client.diagnostics('run.toml');
  await client.replace('run.toml', 'pipeline_parallel_microbatch_size = 1\n', 'pipeline_parallel_microbatch_size = 1\nexp\n');
  const {items} = await client.request('textDocument/completion', client.at('run.toml', '\nexp', 4));
  const item = items.find((candidate) => candidate.label === 'expert_parallel_degree');
  assert.equal(item.detail, 'an integer, default 1');
  assert.equal(item.textEdit.newText, 'expert_parallel_degree = ');
  assert.equal(client.slice('run.toml', item.textEdit.range), 'exp');
  assert.ok(!items.some((candidate) => candidate.label === 'tensor_parallel_degree'), 'it is there already');
  assert.ok(!items.some((candidate) => candidate.label === 'seq_len'), 'it belongs elsewhere');
});

test('values are completed: words, booleans, and of degrees those that pass', async (t) => {
  const client = await open(t, {...job, 'run.toml': titan.replace('2500', '5120')});
  await client.open('run.toml');
  await client.diagnostics('run.toml');
  await client.replace('run.toml', 'tensor_parallel_degree = 8', 'tensor_parallel_degree = ');
  const degrees = await client.request('textDocument/completion', client.at('run.toml', 'tensor_parallel_degree = ', 25));
  const labels = degrees.items.map((item) => item.label);
  assert.ok(labels.includes('4') && labels.includes('8'), labels.join());
  assert.ok(!labels.includes('3') && !labels.includes('7'), labels.join());
  assert.match(degrees.items.find((item) => item.label === '4').detail, /DP 160/);
  await client.replace('run.toml', 'tensor_parallel_degree = ', 'enable_async_tensor_parallel = ');
  const words = await client.request('textDocument/completion', client.at('run.toml', 'tensor_parallel = ', 18));
  assert.deepEqual(words.items.map((item) => item.label), ['true', 'false']);
  await client.replace('run.toml', 'enable_async_tensor_parallel = ', 'pipeline_parallel_schedule = "');
  const enums = await client.request('textDocument/completion', client.at('run.toml', 'schedule = "', 12));
  const interleaved = enums.items.find((item) => item.label === 'Interleaved1F1B');
  assert.equal(interleaved.textEdit.newText, '"Interleaved1F1B"');
});

test('degrees that the team\'s own law refuses are not offered', async (t) => {
  const law = '[[constraint]]\nname = "small-groups"\nfamily = "topology"\nwhen = "tp > 1"\nrequire = "tp <= 4"\n' +
    'severity = "error"\nsays = "größe 🚀: four GPUs a server"\n';
  const client = await open(t, {'run.toml': titan.replace('2500', '5120'), 'shardlint.toml': cluster + law});
  await client.open('run.toml');
  await client.diagnostics('run.toml', has('team/small-groups'));
  await client.replace('run.toml', 'tensor_parallel_degree = 8', 'tensor_parallel_degree = ');
  const {items} = await client.request('textDocument/completion', client.at('run.toml', 'tensor_parallel_degree = ', 25));
  const labels = items.map((item) => item.label);
  assert.ok(labels.includes('4') && !labels.includes('8'), labels.join());
});

test('shardlint.toml is completed too', async (t) => {
  const client = await open(t, job);
  await client.open('shardlint.toml', '[cluster]\n\ngpu = ""\n[ru\n[rules]\nignore = ["batch/"]\n');
  const keys = await client.request('textDocument/completion', {textDocument: {uri: client.uri('shardlint.toml')},
    position: {line: 1, character: 0}});
  assert.ok(keys.items.some((item) => item.label === 'gpus_per_node'));
  const gpus = await client.request('textDocument/completion', client.at('shardlint.toml', 'gpu = "', 7));
  assert.ok(gpus.items.some((item) => item.textEdit.newText === '"H100"'));
  const tables = await client.request('textDocument/completion', client.at('shardlint.toml', '[ru', 3));
  assert.equal(tables.items.find((item) => item.label === 'run').textEdit.newText, '[run]]');
  const rules = await client.request('textDocument/completion', client.at('shardlint.toml', '"batch/', 7));
  assert.ok(rules.items.some((item) => item.label === 'batch/global-batch-not-divisible'));
  const labels = async (text) => {
    await client.edit('shardlint.toml', {text});
    const end = client.document('shardlint.toml').positionAt(text.length);
    return (await client.request('textDocument/completion', {textDocument: {uri: client.uri('shardlint.toml')}, position: end})).items.map(
      (item) => item.label);
  };
  await client.edit('shardlint.toml', {text: cluster});
  await client.open('run.toml');
  await client.diagnostics('run.toml');
  assert.ok((await labels('[[constraint]]\n')).includes('require'));
  assert.deepEqual(await labels('[[constraint]]\nseverity = '), ['error', 'warning', 'info']);
  assert.ok((await labels('[rules.severity]\n')).includes('batch/global-batch-not-divisible'));
  assert.ok((await labels('[per-path.cluster]\n')).includes('nodes'));
  assert.ok((await labels('[gpus.ours]\n')).length > 3);
  assert.ok((await labels('[[run]]\nfiles = ["')).includes('run.toml'));
});

test('a wrong setting is said where it stands, and nothing is judged meanwhile', async (t) => {
  const client = await open(t, job);
  await client.open('run.toml');
  await client.diagnostics('run.toml', has('global-batch-not-divisible'));
  await client.open('shardlint.toml');
  await client.replace('shardlint.toml', 'nodes', 'knots');
  const [error] = await client.diagnostics('shardlint.toml', (list) => list.length > 0);
  assert.match(error.message, /^no setting `cluster.knots`/);
  assert.equal(error.range.start.line, 1);
  await client.diagnostics('run.toml', (list) => list.length === 0);
  await client.replace('shardlint.toml', 'knots', 'nodes');
  await client.diagnostics('shardlint.toml', (list) => list.length === 0);
  await client.diagnostics('run.toml', has('global-batch-not-divisible'));
});

test('the outline is the tree of the keys', async (t) => {
  const client = await open(t, job);
  await client.open('run.toml');
  const symbols = await client.request('textDocument/documentSymbol', client.of('run.toml'));
  assert.deepEqual(symbols.map((symbol) => symbol.name), ['training', 'model', 'parallelism']);
  const degree = symbols[2].children.find((symbol) => symbol.name === 'tensor_parallel_degree');
  assert.equal(degree.detail, '8');
  assert.equal(client.slice('run.toml', degree.selectionRange), 'tensor_parallel_degree');
  const capabilities = structuredClone(everything);
  capabilities.textDocument.documentSymbol = {};
  const flat = await open(t, job, {capabilities});
  await flat.open('run.toml');
  const list = await flat.request('textDocument/documentSymbol', flat.of('run.toml'));
  assert.ok(list.some((symbol) => symbol.name === 'flavor' && symbol.containerName === 'model' &&
    symbol.location.uri === flat.uri('run.toml')));
});

const family = {'base.yaml': parent, 'child.yaml': child};

test('what a parent causes is said in the child, and counted in the parent', async (t) => {
  const client = await open(t, family);
  await client.open('base.yaml');
  const found = await client.diagnostics('child.yaml', (list) => list.length > 0);
  const [count] = await client.diagnostics('base.yaml', (list) => list.some((item) =>
    /builds? on this one: child.yaml/.test(item.message)));
  assert.equal(count.severity, 3);
  assert.equal(count.relatedInformation[0].location.uri, client.uri('child.yaml'));
  assert.equal(Number(count.message.split(' ')[0]), found.length);
  // An edit of the parent mends the child, which is not open.
  await client.replace('base.yaml', '    tensor_model_parallel_size: 8', '    tensor_model_parallel_size: 1');
  await client.diagnostics('child.yaml', (list) => list.length === 0);
});

test('definition leads to where a value is set', async (t) => {
  const client = await open(t, family);
  await client.open('base.yaml');
  await client.open('child.yaml');
  await client.diagnostics('child.yaml');
  const [inherited] = await client.request('textDocument/definition', client.at('child.yaml', '  num_nodes: 2', 4));
  assert.equal(inherited.uri, client.uri('base.yaml'));
  assert.equal(client.slice('base.yaml', inherited.range), '32');
  const [file] = await client.request('textDocument/definition', client.at('child.yaml', 'base.yaml', 2));
  assert.equal(file.uri, client.uri('base.yaml'));
  const [read] = await client.request('textDocument/definition', client.at('base.yaml', '${policy.precision}', 5));
  assert.equal(read.uri, client.uri('base.yaml'));
  assert.equal(client.slice('base.yaml', read.range), 'bfloat16');
  const hover = await client.request('textDocument/hover', client.at('child.yaml', '  num_nodes: 2', 4));
  assert.match(hover.contents.value, /32.*base.yaml:155/);
});

test('a launch script and the config that it names are one job', async (t) => {
  const client = await open(t, {'run.toml': titan.replace('2500', '2560'),
    'launch/train.sbatch': script.replace('run.toml', '../run.toml')});
  await client.open('run.toml');
  // Sixteen GPUs are too few for TP 8 x PP 8: only the script says that there are sixteen.
  await client.open('launch/train.sbatch');
  await client.diagnostics('launch/train.sbatch', () => true, 5000).catch(() => []);
  const all = () => [...client.published.values()].flatMap((entry) => entry.diagnostics);
  await client.until(() => all().some((item) => /has 16|16 ranks/.test(item.message)), 5000,
    () => JSON.stringify([...client.published.values()]));
  const [config] = await client.request('textDocument/definition', client.at('launch/train.sbatch', 'run.toml', 2));
  assert.equal(config.uri, client.uri('run.toml'));
  const [lens] = await client.request('textDocument/codeLens', client.of('run.toml'));
  assert.match(lens.command.title, /16 GPUs/);
  // The script's buffer wins over its file.
  await client.replace('launch/train.sbatch', '#SBATCH --nodes=2', '#SBATCH --nodes=640');
  await client.replace('launch/train.sbatch', '--nnodes 2', '--nnodes 640');
  await client.until(() => !all().some((item) => /has 16|16 ranks/.test(item.message)), 5000,
    () => JSON.stringify([...client.published.values()], null, 1));
  const symbols = await client.request('textDocument/documentSymbol', client.of('launch/train.sbatch'));
  assert.match(symbols[0].name, /TorchTitan/);
});

test('what a script and its config disagree on is said in both, and mended from both', async (t) => {
  // 64 GPUs in copies of 3 x 2, and 32 heads in 3 shares.
  const config = 'MODEL_ARGS:\n  --num-layers: 32\n  --hidden-size: 4096\n  --num-attention-heads: 32\n  --seq-length: 4096\n' +
    '  --max-position-embeddings: 4096\n  --micro-batch-size: 1\n  --global-batch-size: 256\n  --tensor-model-parallel-size: 3\n' +
    '  --pipeline-model-parallel-size: 2\n  --bf16: true\n  --lr: 3.0e-4\n  --train-iters: 1000\n  --vocab-size: 32000\n' +
    '  --tokenizer-type: NullTokenizer\n';
  const client = await open(t, {'train.yaml': config, 'job.sbatch': '#!/bin/bash\n#SBATCH --nodes=8\n#SBATCH --gpus-per-node=8\n' +
    'srun torchrun --nnodes=8 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=$HEAD:29500 pretrain_gpt.py --yaml-cfg train.yaml\n'});
  await client.open('train.yaml');
  const list = await client.diagnostics('train.yaml', has('heads-not-divisible-by-tp'));
  const [heads] = of(list, 'heads-not-divisible-by-tp');
  assert.equal(heads.severity, 1);
  assert.equal(client.slice('train.yaml', heads.range), '3');
  const [copies] = of(list, 'world-not-divisible-by-model');
  assert.equal(copies.severity, 3);
  assert.match(copies.message, /^64 GPUs .*\n.*\n= said at job.sbatch:4$/);
  assert.equal(copies.relatedInformation[0].location.uri, client.uri('job.sbatch'));
  await client.open('job.sbatch');
  const [cause] = of(await client.diagnostics('job.sbatch', has('world-not-divisible-by-model')), 'world-not-divisible-by-model');
  assert.equal(cause.severity, 1);
  const [fix] = await client.actions('job.sbatch', cause.range.start);
  assert.equal(fix.title, 'Set --tensor-model-parallel-size = 4 in train.yaml');
  await client.apply(fix.edit);
  await client.diagnostics('train.yaml', (left) => left.length === 0);
  await client.diagnostics('job.sbatch', without('world-not-divisible-by-model'));
});

test('a run of shardlint.toml is a job of its own', async (t) => {
  const settings = cluster + '[[run]]\nname = "pretrain"\nfiles = ["run.toml"]\noverrides = ["training.global_batch_size=2499"]\n';
  const client = await open(t, {'run.toml': titan.replace('2500', '2560'), 'shardlint.toml': settings});
  await client.open('run.toml');
  const [finding] = await client.diagnostics('shardlint.toml', has('global-batch-not-divisible'));
  assert.equal(finding.range.start.line, 7);
  await client.open('shardlint.toml');
  // Its plan stands where it is written.
  const [lens] = await client.request('textDocument/codeLens', client.of('shardlint.toml'));
  assert.match(lens.command.title, /^pretrain: 5,120 GPUs = /);
  assert.equal(lens.range.start.line, 5);
  await client.replace('shardlint.toml', '2499', '2560');
  await client.diagnostics('shardlint.toml', without('global-batch-not-divisible'));
  await client.replace('shardlint.toml', 'pretrain', 'again');
  await client.replace('shardlint.toml', 'global_batch_size=2560', 'global_batch_size=2499');
  await client.diagnostics('shardlint.toml', has('global-batch-not-divisible'));
});

test('a broken document keeps its last good plan', async (t) => {
  const client = await open(t, {...job, 'run.toml': titan.replace('2500', '2560')});
  await client.open('run.toml');
  await client.diagnostics('run.toml');
  await client.replace('run.toml', '[parallelism]', '[parallelism');
  const list = await client.diagnostics('run.toml', has('syntax-error'));
  assert.equal(list.length, 1);
  const [lens] = await client.request('textDocument/codeLens', client.of('run.toml'));
  assert.match(lens.command.title, /5,120 GPUs .*\(as last read\)$/);
  await client.replace('run.toml', '[parallelism', '[parallelism]');
  await client.diagnostics('run.toml', without('syntax-error'));
});

test('old keys and needless ignores are tagged', async (t) => {
  const text = titan.replace('2500', '2560').replace('flavor = "70B"',
    'flavor = "70B"\ntokenizer_path = "a"  # shardlint: ignore[batch] no reason');
  const client = await open(t, {...job, 'run.toml': text});
  await client.open('run.toml');
  const list = await client.diagnostics('run.toml');
  assert.deepEqual(of(list, 'deprecated-key')[0].tags, [2]);
  assert.deepEqual(of(list, 'unused-ignore')[0].tags, [1]);
});

test('documents that lie in no file are checked as well', async (t) => {
  const client = await open(t, {'shardlint.toml': cluster});
  await client.open('untitled:Untitled-1', titan, 'toml');
  const [finding] = of(await client.diagnostics('untitled:Untitled-1'), 'global-batch-not-divisible');
  assert.equal(finding.range.start.line, 1);
  const actions = await client.request('textDocument/codeAction', {textDocument: {uri: 'untitled:Untitled-1'}, range: finding.range,
    context: {diagnostics: []}});
  assert.equal(actions[0].edit.documentChanges[0].textDocument.uri, 'untitled:Untitled-1');
  await client.close('untitled:Untitled-1');
  await client.diagnostics('untitled:Untitled-1', (list) => list.length === 0);
});

test('another view of a file does not stand before it', async (t) => {
  const client = await open(t, {...job, 'run.toml': titan.replace('2500', '2560')});
  const old = client.uri('run.toml').replace('file:', 'git:') + '?ref=HEAD';
  await client.open(old, titan, 'toml');
  await client.open('run.toml');
  await client.diagnostics('run.toml', without('global-batch-not-divisible'));
  const [finding] = of(await client.diagnostics(old), 'global-batch-not-divisible');
  assert.equal(finding.range.start.line, 1);
  assert.deepEqual(of(await client.diagnostics('run.toml'), 'global-batch-not-divisible'), []);
});

test('many folders: each with its own settings; one that goes takes its findings along', async (t) => {
  const files = {'a/run.toml': titan, 'a/shardlint.toml': cluster, 'b/run.toml': titan, 'b/shardlint.toml': cluster.replace('640', '625')};
  const client = await open(t, files, {folders: ['a', 'b']});
  await client.diagnostics('a/run.toml', has('global-batch-not-divisible'));
  await client.until(() => client.published.get(client.uri('b/run.toml')));
  await client.notify('workspace/didChangeWorkspaceFolders', {event: {added: [], removed: [{uri: client.uri('a'), name: 'a'}]}});
  await client.diagnostics('a/run.toml', (list) => list.length === 0);
});

test('settings of the editor hold, and may change', async (t) => {
  const client = await open(t, {'run.toml': titan}, {options: {cluster: {nodes: 640, gpusPerNode: 8}}});
  await client.open('run.toml');
  await client.diagnostics('run.toml', has('global-batch-not-divisible'));
  await client.notify('workspace/didChangeConfiguration', {settings: {shardlint: {cluster: {nodes: 1, gpusPerNode: 4}}}});
  await client.diagnostics('run.toml', without('global-batch-not-divisible'));
});

test('only open files, where the editor wants it so', async (t) => {
  const files = {'shardlint.toml': cluster, 'one.toml': titan, 'two.toml': titan};
  const client = await open(t, files, {options: {scope: 'openFiles'}});
  await client.open('one.toml');
  await client.diagnostics('one.toml', has('global-batch-not-divisible'));
  assert.ok(await client.quiet('two.toml'));
  const other = await open(t, files);
  await other.open('one.toml');
  await other.diagnostics('two.toml', has('global-batch-not-divisible'));
});

test('files that change on the disk, and those that come and go', async (t) => {
  const client = await open(t, {'run.toml': titan, 'shardlint.toml': cluster});
  await client.diagnostics('run.toml', has('global-batch-not-divisible'));
  const registered = client.calls.find((call) => call.method === 'client/registerCapability');
  assert.equal(registered.params.registrations[0].method, 'workspace/didChangeWatchedFiles');
  fs.writeFileSync(path.join(client.root, 'shardlint.toml'), cluster.replace('640', '625'));
  await client.notify('workspace/didChangeWatchedFiles', {changes: [{uri: client.uri('shardlint.toml'), type: 2}]});
  await client.diagnostics('run.toml', without('global-batch-not-divisible'));
  fs.writeFileSync(path.join(client.root, 'new.toml'), titan.replace('pipeline_parallel_degree = 8', 'pipeline_parallel_degree = 7'));
  await client.notify('workspace/didChangeWatchedFiles', {changes: [{uri: client.uri('new.toml'), type: 1}]});
  await client.diagnostics('new.toml', (list) => list.length > 0);
  fs.rmSync(path.join(client.root, 'new.toml'));
  await client.notify('workspace/didChangeWatchedFiles', {changes: [{uri: client.uri('new.toml'), type: 3}]});
  await client.diagnostics('new.toml', (list) => list.length === 0);
});

test('a request is cancelled, and others are answered while a large file is checked', async (t) => {
  const large = fs.readFileSync(path.join(fixtures, 'ok/megatron-500b.yaml'), 'utf8') + '  --blend:\n' +
    Array.from({length: 60000}, (_, i) => `    - "${i} /data/🚀/${i}"\n`).join('');
  const client = await open(t, {...job, 'large.yaml': large});
  await client.open('run.toml');
  await client.diagnostics('run.toml');
  await client.open('large.yaml');
  // What an editor asks of a document that it has just opened waits for its check, and blocks nothing.
  const waiting = ['codeLens', 'inlayHint', 'documentSymbol', 'codeLens'].map((what) =>
    client.request(`textDocument/${what}`, client.of('large.yaml')));
  const start = process.hrtime.bigint();
  const hover = await client.request('textDocument/hover', client.at('run.toml', 'tensor_parallel_degree', 3));
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  assert.ok(hover && milliseconds < 500, `${milliseconds} ms`);
  assert.equal(client.published.get(client.uri('large.yaml')), undefined, 'the large file is still under way');
  assert.equal((await Promise.all(waiting)).length, 4);
  const rpc = require('vscode-jsonrpc/node');
  const cancel = new rpc.CancellationTokenSource();
  const asked = client.request('textDocument/codeAction', {...client.of('large.yaml'), context: {diagnostics: []}}, cancel.token);
  cancel.cancel();
  await assert.rejects(asked, (fault) => fault.code === -32800);
  assert.equal(await client.stop(), 0);
});

test('a long look at a folder is shown, and ends', async (t) => {
  const files = Object.fromEntries(Array.from({length: 700}, (_, i) => [`notes/${i}.yaml`, `größe: ${i}\n`]));
  const client = await open(t, {...job, ...files});
  await client.until(() => client.progress.some((entry) => entry.value.kind === 'end') || undefined, 20000,
    () => JSON.stringify(client.progress));
  const kinds = client.progress.map((entry) => entry.value.kind);
  assert.equal(kinds[0], 'begin');
  assert.deepEqual(kinds.filter((kind) => kind !== 'report'), ['begin', 'end']);
  assert.ok(client.calls.some((call) => call.method === 'window/workDoneProgress/create'));
});

test('lenses are asked for again when another file changes them, not when their own does', async (t) => {
  const client = await open(t, {...job, 'run.toml': titan.replace('2500', '2560')});
  await client.open('run.toml');
  await client.request('textDocument/codeLens', client.of('run.toml'));
  const asked = () => client.calls.filter((call) => call.method === 'workspace/codeLens/refresh').length;
  await new Promise((done) => setTimeout(done, 100));
  const before = asked();
  await client.replace('run.toml', 'tensor_parallel_degree = 8', 'tensor_parallel_degree = 4');
  assert.match((await client.request('textDocument/codeLens', client.of('run.toml')))[0].command.title, /TP 4/);
  await new Promise((done) => setTimeout(done, 100));
  assert.equal(asked(), before);
  await client.open('shardlint.toml');
  await client.replace('shardlint.toml', '640', '320');
  await client.until(() => asked() > before || undefined);
  assert.match((await client.request('textDocument/codeLens', client.of('run.toml')))[0].command.title, /^2,560 GPUs/);
});

test('the server refuses what it does not know, and lives on', async (t) => {
  const client = await open(t, job);
  await assert.rejects(client.request('textDocument/rename', {}), (fault) => fault.code === -32601);
  assert.equal(client.answer.capabilities.renameProvider, undefined);
  assert.equal(client.answer.capabilities.foldingRangeProvider, undefined);
  await assert.rejects(client.request('textDocument/hover', {textDocument: {uri: 'file:///nowhere'}, position: {line: 0, character: 0}}),
    (fault) => fault.code === -32602);
  await assert.rejects(client.request('initialize', {}), /already/);
  await client.notify('textDocument/didChange', {textDocument: {uri: 'file:///nowhere', version: 1}, contentChanges: [{text: ''}]});
  await client.notify('$/unknown', {});
  await client.open('run.toml');
  await client.diagnostics('run.toml');
  assert.equal(await client.stop(), 0);
});

test('an editor that goes without a word leaves no server behind', async (t) => {
  const client = await open(t, job);
  await client.open('run.toml');
  client.process.stdin.end();
  assert.equal(await client.exited, 0);
  const rude = await open(t, job);
  await rude.notify('exit');
  assert.equal(await rude.exited, 1);
});

test('headers in any case, and nonsense between messages', async (t) => {
  const {spawn} = require('node:child_process');
  const server = spawn(process.env.SHARDLINT, ['lsp']);
  t.after(() => server.kill());
  let out = '';
  server.stdout.on('data', (data) => { out += data; });
  const send = (text, header = 'content-length') => server.stdin.write(
    `${header}: ${Buffer.byteLength(text)}\r\nContent-Type: x\r\n\r\n${text}`);
  send('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}');
  send('not json', 'CONTENT-LENGTH');
  send('{"jsonrpc":"2.0","id":2,"method":"shutdown"}', 'Content-Length');
  send('{"jsonrpc":"2.0","method":"exit"}');
  assert.equal(await new Promise((done) => server.on('exit', done)), 0);
  assert.match(out, /"id":1.*positionEncoding/s);
  assert.match(out, /-32700/);
  assert.match(out, /"id":2/);
});

test('JSON: a DeepSpeed file is checked, and completed', async (t) => {
  const client = await open(t,
    {'ds.json': '{"größe_🚀": 1, "train_batch_size": 64, "train_micro_batch_size_per_gpu": 3, ' +
      '"gradient_accumulation_steps": 1,\n "zero_optimization": {"stage": 2, "": 1}}',
    'shardlint.toml': '[cluster]\nnodes = 1\ngpus_per_node = 8\n'});
  await client.open('ds.json');
  const list = await client.diagnostics('ds.json', (all) => all.length > 0);
  assert.ok(list.some((item) => item.severity === 1), JSON.stringify(list));
  const {items} = await client.request('textDocument/completion', client.at('ds.json', '"stage": 2, "', 13));
  const key = items.find((item) => item.label === 'overlap_comm');
  assert.equal(key.textEdit.newText, '"overlap_comm"');
  assert.equal(client.slice('ds.json', key.textEdit.range), '""');
});

test('a launch script with the options of its framework: findings, hover, completion, fix', async (t) => {
  const text = `#!/bin/bash
#SBATCH --job-name=größe_🚀
#SBATCH --nodes=2
#SBATCH --gpus-per-node=8
ARGS="--tensor-model-parallel-size 3 --pipeline-model-parallel-size 2 --num-layers 24 --hidden-size 2048 --num-attention-heads 16 \\
  --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --train-iters 1000 --lr 1e-4"
srun torchrun --nnodes 2 --rdzv-backend c10d --rdzv-endpoint head:29500 --nproc-per-node 8 pretrain_gpt.py $ARGS --bf16
`;
  const client = await open(t, {'job.sbatch': text});
  await client.open('job.sbatch');
  const [finding] = await client.diagnostics('job.sbatch', (list) => list.some((item) => item.severity === 1));
  assert.ok(finding);
  const hover = await client.request('textDocument/hover', client.at('job.sbatch', '--tensor-model-parallel-size 3', 29));
  assert.match(hover.contents.value, /tensor-parallel ranks/);
  const fixes = (await client.actions('job.sbatch', finding.range.start))
    .filter((action) => action.edit && !action.title.startsWith('Ignore'));
  const {['job.sbatch']: mended} = await client.apply(fixes[0].edit);
  assert.notEqual(mended, text);
  assert.ok(mended.startsWith('#!/bin/bash\n#SBATCH --job-name=größe_🚀\n'));
  await client.diagnostics('job.sbatch', without(finding.code));
  await client.replace('job.sbatch', '--bf16', '--bf16 --recompute-gran');
  const keys = await client.request('textDocument/completion', client.at('job.sbatch', '--recompute-gran', 16));
  const granularity = keys.items.find((item) => item.label === '--recompute-granularity');
  assert.equal(client.slice('job.sbatch', granularity.textEdit.range), '--recompute-gran');
  await client.replace('job.sbatch', '--recompute-gran', '--recompute-granularity ');
  const values = await client.request('textDocument/completion', client.at('job.sbatch', '--recompute-granularity ', 24));
  assert.ok(values.items.some((item) => item.label === 'selective'), JSON.stringify(values.items.map((item) => item.label)));
});

test('C++ that builds a plan, in a buffer that is not saved', async (t) => {
  if (!fs.existsSync(path.join(path.dirname(process.env.SHARDLINT), 'shardlint-cxx'))) return t.skip('built without shardlint-cxx');
  const files = {
    'include/plan.h': '#pragma once\nnamespace quarry {\nstruct Plan {\n  int wide = 1;\n  int deep = 1;\n' +
      '  int crew = 8;\n  int floors = 24;\n};\n}\n',
    'shardlint.bindings.toml': 'version = 1\n[framework]\nname = "quarry"\nuneven_stages = "refused"\n' +
      '[[type]]\nname = "quarry::Plan"\nrole = "plan"\n' +
      '[type.fields]\nwide = "tp"\ndeep = "pp"\ncrew = "world_size"\nfloors = "layers"\n',
    'src/main.cc': '#include "../include/plan.h"\n// größe 🚀\nquarry::Plan make() { return {.wide = 2, .deep = 4, .crew = 8}; }\n',
  };
  const client = await open(t, files);
  await client.open('src/main.cc', undefined, 'cpp');
  await client.diagnostics('src/main.cc', (list) => list.length === 0, 30000);
  await client.replace('src/main.cc', '.wide = 2', '/* 日本🚀 */ .wide = 3');
  const [finding] = await client.diagnostics('src/main.cc', (list) => list.length > 0, 30000);
  assert.equal(client.slice('src/main.cc', finding.range).length > 0, true);
  const hover = await client.request('textDocument/hover', client.at('src/main.cc', '.wide = 3', 8));
  assert.match(hover.contents.value, /tensor-parallel ranks/);
  const [fix] = (await client.actions('src/main.cc', finding.range.start)).filter((action) => action.isPreferred);
  await client.apply(fix.edit);
  await client.diagnostics('src/main.cc', (list) => list.length === 0, 30000);
  // A header that is not saved wins over its file, whether its values were used before or not.
  await client.open('include/plan.h', undefined, 'cpp');
  await client.replace('include/plan.h', '#pragma once', '#pragma once  // größe 🚀');
  await client.replace('include/plan.h', 'int floors = 24', 'int floors = 25');
  await client.until(() => (client.published.get(client.uri('src/main.cc'))?.diagnostics.length ?? 0) +
    (client.published.get(client.uri('include/plan.h'))?.diagnostics.length ?? 0) > 0 || undefined, 30000,
    () => JSON.stringify([...client.published.values()]));
  await client.close('include/plan.h');
  await client.until(() => [...client.published.values()].every((entry) => entry.diagnostics.length === 0) || undefined, 30000);
});
