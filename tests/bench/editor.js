// From a keystroke to the findings that the editor gets, and from the start of the server to the first ones: beside yaml-language-server,
// which validates the same 2,000-line file against a JSON Schema of the same keys. Each server's own delay before it begins is not counted:
// ours is set to nothing, the other's fixed 200 ms are taken off.
//
//   ./dev bench editor
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {Client} = require('../lsp/client/client.js');

const kKeystrokes = 200, kStarts = Number(process.env.STARTS || 10), kTheirDelay = 200;
const root = process.env.SHARDLINT_ROOT;

// The 500-billion-parameter job with its blend of data: two thousand lines.
function config() {
  let text = fs.readFileSync(path.join(root, 'fixtures/bad/megatron-500b-batch-2500.yaml'), 'utf8').replace(/^ {2}--data-path:.*\n/m, '');
  text += '  --data-path:\n';
  for (let i = 0; text.split('\n').length < 2001; ++i) text += `    - "0.${String(i).padStart(4, '0')} /data/größe-🚀/part-${i}"\n`;
  return text;
}

// What a JSON Schema can say of the file: which keys there are and of which type.
function schema() {
  const types = {int: 'integer', float: 'number', bool: 'boolean', str: 'string'};
  const properties = {};
  for (const line of fs.readFileSync(path.join(root, 'schemas/megatron/keys.tsv'), 'utf8').split('\n').slice(1)) {
    const [key, type, , choices, flags] = line.split('\t');
    if (!key || !flags) continue;
    for (const flag of flags.split('|').flatMap((word) => word.split(' '))) {
      const name = flag.split('=')[0];
      const known = types[type.replace(/[|!].*/, '')];
      properties[name] = known && known !== 'boolean' ? {type: [...new Set([known, 'string', 'array'])]} : {};
      if (choices && !choices.startsWith('~')) properties[name] = {enum: choices.split('|')};
    }
  }
  properties['--global-batch-size'] = {type: 'integer', multipleOf: 80};
  return {$schema: 'http://json-schema.org/draft-07/schema#', type: 'object',
    properties: {MODEL_ARGS: {type: 'object', additionalProperties: false, properties}}};
}

const servers = {
  'shardlint lsp': {delay: 0, how: {}},
  'yaml-language-server': {
    delay: kTheirDelay,
    how: {unversioned: true, command: [process.execPath, path.join(process.env.NODE_PATH, 'yaml-language-server/bin/yaml-language-server'),
      '--stdio']},
  },
};

const now = () => Number(process.hrtime.bigint()) / 1e6;
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
// Milliseconds of processor time that a process and its threads have had: what a busy machine does not change.
function cpu_of(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
const by_number = (a, b) => a - b;

async function start(server, folder) {
  const settings = {validate: true, schemaStore: {enable: false}, schemas: {[`file://${folder}/schema.json`]: 'run.yaml'}};
  const begin = now();
  const client = await Client.start(folder, {...server.how, settings});
  if (server.delay) await client.notify('workspace/didChangeConfiguration', {settings: {yaml: settings}});
  await client.open('run.yaml');
  const finding = (list) => list.some((item) => /2,500|divisible by 80/.test(item.message));
  await client.diagnostics('run.yaml', finding, 60000);
  return {client, milliseconds: now() - begin - server.delay, finding};
}

async function measure(server, folder) {
  const starts = [];
  for (let i = 0; i < kStarts; ++i) {
    const {client, milliseconds} = await start(server, folder);
    starts.push(milliseconds);
    client.kill();
  }
  const {client, finding} = await start(server, folder);
  const keystrokes = [];
  const cpu = cpu_of(client.process.pid);
  for (let i = 0; i < kKeystrokes; ++i) {
    const [from, to] = i % 2 ? ['size: 2560', 'size: 2500'] : ['size: 2500', 'size: 2560'];
    const begin = now();
    await client.replace('run.yaml', `--global-batch-${from}`, `--global-batch-${to}`);
    await client.diagnostics('run.yaml', (list) => finding(list) === (i % 2 === 1), 60000);
    keystrokes.push(now() - begin - server.delay);
  }
  const each = (cpu_of(client.process.pid) - cpu) / kKeystrokes;
  client.kill();
  return {starts: starts.sort(by_number), keystrokes: keystrokes.sort(by_number), each};
}

async function main() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'shardlint-bench-')));
  fs.writeFileSync(path.join(folder, 'run.yaml'), config());
  fs.writeFileSync(path.join(folder, 'schema.json'), JSON.stringify(schema()));
  fs.writeFileSync(path.join(folder, 'shardlint.toml'), '[cluster]\nnodes = 640\ngpus_per_node = 8\ngpu = "H100"\n');
  const lines = config().split('\n').length - 1;
  console.log(`${lines} lines, ${kKeystrokes} keystrokes, ${kStarts} starts; milliseconds, each server's own delay not counted`);
  const row = (name, ...cells) => name.padEnd(22) + cells.map((cell, i) => cell.padStart([15, 9, 8, 12, 9][i])).join('');
  console.log(row('', 'keystroke p50', 'p95', 'cpu', 'start p50', 'p95'));
  const figures = {};
  for (const [name, server] of Object.entries(servers)) {
    const {starts, keystrokes, each} = await measure(server, folder);
    figures[name] = {key: at(keystrokes, 0.95), start: at(starts, 0.95)};
    const values = [at(keystrokes, 0.5), at(keystrokes, 0.95), each, at(starts, 0.5), at(starts, 0.95)];
    console.log(row(name, ...values.map((value) => value.toFixed(1))));
  }
  const [ours, theirs] = Object.values(figures);
  const times = (what) => (theirs[what] / ours[what]).toFixed(1);
  console.log(`at the 95th percentile: a keystroke ${times('key')} times faster, a start ${times('start')} times`);
  fs.rmSync(folder, {recursive: true, force: true});
}

main().catch((fault) => { console.error(fault); process.exit(1); });
