// Twenty thousand random edits, many of them beside characters that take two UTF-16 units: the server's text stays the client's, its
// memory stays flat, and no answer takes long.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const {test} = require('node:test');
const {Client, everything} = require('./client.js');
const {titan, cluster} = require('./jobs.js');

const kEdits = 20000;
const kSlowest = 1000;  // milliseconds for one answer, on a busy machine under a sanitizer
const kGrowth = 1.3;    // of the memory, from after the first tenth to the end

// Small and seeded: a failure can be repeated.
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
const pieces = [
  '🚀', '日本', 'ü', '𝔘', 'é́', '\n', '\r\n', '\r', ' ', '  ', '[', ']', '"', '=', 'a', 'tensor_parallel_degree = 4', '# ',
  '8', '😀😀', '\t', ''];

const memory = (process) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${process.pid}/status`, 'utf8'))[1]);

for (const encoding of ['utf-16', 'utf-8', 'utf-32'])
  test(`${kEdits} edits, positions in ${encoding}`, {timeout: 600000}, async (t) => {
    const capabilities = {...everything, general: {positionEncodings: [encoding]}};
    const client = await Client.open(t, {'shardlint.toml': cluster}, {capabilities, options: {debounce: 20}});
    const next = random(42);
    const pick = (n) => Math.floor(next() * n);
    await client.open('run.toml', titan);
    const uri = client.uri('run.toml');
    let text = titan;
    const splits = (at) => at > 0 && at < text.length && text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) < 0xe000;
    const position = (at) => {
      // As the protocol counts: a line ends at \n, \r\n or \r.
      const lines = text.slice(0, at).split(/\r\n|\n|\r/);
      // Between \r and \n lies no place that can be said: that is the end of the line before it.
      const line = lines[lines.length - 1];
      const character = encoding === 'utf-16' ? line.length : encoding === 'utf-8' ? Buffer.byteLength(line) : [...line].length;
      return {line: lines.length - 1, character};
    };
    const between = (at) => at > 0 && text[at - 1] === '\r' && text[at] === '\n';
    let slowest = 0, first = 0;
    for (let i = 1; i <= kEdits; ++i) {
      let begin = pick(text.length + 1);
      let end = Math.min(text.length, begin + (pick(10) ? pick(4) : pick(60)));
      while (splits(begin) || between(begin)) --begin;
      while (splits(end) || between(end)) ++end;
      const grow = text.length < 1500 ? 3 : 1;
      let by = '';
      for (let k = pick(grow + 2); k > 0; --k) by += pieces[pick(pieces.length)];
      const change = {range: {start: position(begin), end: position(end)}, text: by};
      text = text.slice(0, begin) + by + text.slice(end);
      await client.notify('textDocument/didChange', {textDocument: {uri, version: i + 1}, contentChanges: [change]});
      if (i % 50 === 0) {
        const start = process.hrtime.bigint();
        const held = await client.request('shardlint/text', {textDocument: {uri}});
        assert.equal(held, text, `after edit ${i}: ${JSON.stringify(change)}`);
        await client.request('textDocument/hover', {textDocument: {uri}, position: position(0)});
        slowest = Math.max(slowest, Number(process.hrtime.bigint() - start) / 1e6);
      }
      if (i % 2000 === 0) {
        // A whole text again, as some editors send it.
        text = titan;
        await client.notify('textDocument/didChange', {textDocument: {uri, version: i + 1}, contentChanges: [{text}]});
      }
      if (i === kEdits / 10) first = memory(client.process);
    }
    const last = memory(client.process);
    t.diagnostic(`memory ${first} kB, then ${last} kB; slowest answer ${slowest.toFixed(1)} ms`);
    assert.ok(slowest < kSlowest, `${slowest} ms`);
    assert.ok(last < first * kGrowth + 8192, `${first} kB grew to ${last} kB`);
    assert.equal(await client.stop(), 0);
  });
