// A language client for tests: what an editor does, without the editor. Speaks through vscode-jsonrpc, as VS Code does.
//
// The server under test is $SHARDLINT; the libraries come from $NODE_PATH.
'use strict';

const {spawn} = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {pathToFileURL} = require('node:url');
const rpc = require('vscode-jsonrpc/node');
const {TextDocument} = require('vscode-languageserver-textdocument');

const everything = {
  general: {positionEncodings: ['utf-16']},
  workspace: {
    workspaceEdit: {documentChanges: true, resourceOperations: ['create']},
    didChangeWatchedFiles: {dynamicRegistration: true},
    configuration: true, workspaceFolders: true,
    codeLens: {refreshSupport: true}, inlayHint: {refreshSupport: true},
  },
  textDocument: {
    publishDiagnostics: {relatedInformation: true, tagSupport: {valueSet: [1, 2]}, versionSupport: true, codeDescriptionSupport: true},
    codeAction: {isPreferredSupport: true, dataSupport: true, resolveSupport: {properties: ['edit']},
                 codeActionLiteralSupport: {codeActionKind: {valueSet: ['', 'quickfix', 'refactor', 'source']}}},
    hover: {contentFormat: ['markdown']},
    documentSymbol: {hierarchicalDocumentSymbolSupport: true},
    completion: {completionItem: {documentationFormat: ['markdown']}},
  },
  window: {workDoneProgress: true, showDocument: {support: true}},
};

// A folder with these files.
function folder(files) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'shardlint-lsp-')));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), {recursive: true});
    fs.writeFileSync(path.join(root, name), text);
  }
  return root;
}

class Client {
  // `how`: capabilities, options (initializationOptions), settings (what workspace/configuration answers), command, unversioned (the
  // server's findings do not say of which version they are).
  constructor(root, how = {}) {
    this.root = root;
    this.how = how;
    const [program, ...args] = how.command || [process.env.SHARDLINT, 'lsp'];
    this.process = spawn(program, args, {stdio: ['pipe', 'pipe', 'pipe'],
        env: {...process.env, XDG_CACHE_HOME: path.join(root, '.cache')}});
    this.errors = '';
    this.process.stderr.on('data', (data) => { this.errors += data; });
    this.exited = new Promise((done) => this.process.on('exit', (code, signal) => done(signal || code)));
    this.connection = rpc.createMessageConnection(this.process.stdout, this.process.stdin);
    this.published = new Map();  // uri -> the last publishDiagnostics
    this.history = [];           // every one of them
    this.calls = [];             // what the server asked of the client
    this.progress = [];
    this.waiting = [];
    this.documents = new Map();
    this.connection.onNotification('textDocument/publishDiagnostics', (params) => {
      this.published.set(params.uri, params);
      this.history.push({...params, at: process.hrtime.bigint()});
      this.look();
    });
    this.messages = [];
    this.connection.onNotification('window/showMessage', (params) => { this.messages.push(params); this.look(); });
    this.connection.onNotification('$/progress', (params) => { this.progress.push(params); this.look(); });
    for (const method of ['client/registerCapability', 'window/workDoneProgress/create', 'workspace/codeLens/refresh',
                          'workspace/inlayHint/refresh'])
      this.connection.onRequest(method, (params) => { this.calls.push({method, params}); this.look(); return null; });
    this.connection.onRequest('workspace/configuration', (params) => params.items.map(() => how.settings || null));
    this.connection.onRequest('window/showDocument', (params) => { this.calls.push({method: 'window/showDocument', params});
    return {success: true}; });
    this.connection.onError(() => {});
    this.connection.listen();
  }

  static async start(root, how = {}) {
    const client = new Client(root, how);
    client.answer = await client.request('initialize', {
      processId: process.pid, rootUri: client.uri(''), capabilities: how.capabilities || everything,
      workspaceFolders: (how.folders || ['']).map((name) => ({uri: client.uri(name), name: name || 'root'})),
      initializationOptions: {debounce: 0, ...how.options},
    });
    await client.notify('initialized', {});
    return client;
  }

  // In a folder with these files; both are gone at the end of the test.
  static async open(t, files, how) {
    const root = folder(files);
    const client = await Client.start(root, how);
    t.after(async () => {
      await client.kill();
      fs.rmSync(root, {recursive: true, force: true});
    });
    return client;
  }

  uri(name) { return name.includes(':') ? name : pathToFileURL(path.join(this.root, name)).href.replace(/\/$/, ''); }
  // An argument that is not there would count as one that is.
  request(method, params, token) { return token ? this.connection.sendRequest(method, params, token) : this.connection.sendRequest(method,
      params); }
  notify(method, params) { return this.connection.sendNotification(method, params); }

  // ---- documents
  async open(name, text, language) {
    const uri = this.uri(name);
    text = text === undefined ? fs.readFileSync(path.join(this.root, name), 'utf8') : text;
    language = language || {'.yaml': 'yaml', '.toml': 'toml', '.json': 'json', '.sh': 'shellscript',
        '.sbatch': 'shellscript'}[path.extname(name)] || 'plaintext';
    this.documents.set(uri, TextDocument.create(uri, language, 1, text));
    await this.notify('textDocument/didOpen', {textDocument: {uri, languageId: language, version: 1, text}});
    return uri;
  }
  document(name) { return this.documents.get(this.uri(name)); }
  text(name) { return this.document(name).getText(); }
  // The change as a range, as editors send it: `from` is replaced by `to`, at its first place.
  async replace(name, from, to) {
    const document = this.document(name);
    const at = document.getText().indexOf(from);
    if (at < 0) throw new Error(`${name} has no ${from}`);
    await this.edit(name, {range: {start: document.positionAt(at), end: document.positionAt(at + from.length)}, text: to});
  }
  async edit(name, ...contentChanges) {
    const document = this.document(name);
    const version = document.version + 1;
    TextDocument.update(document, contentChanges, version);
    await this.notify('textDocument/didChange', {textDocument: {uri: document.uri, version}, contentChanges});
    return version;
  }
  async save(name) {
    fs.writeFileSync(path.join(this.root, name), this.text(name));
    await this.notify('textDocument/didSave', {textDocument: {uri: this.uri(name)}});
  }
  async close(name) {
    this.documents.delete(this.uri(name));
    await this.notify('textDocument/didClose', {textDocument: {uri: this.uri(name)}});
  }
  // Where `text` begins, or `offset` characters behind that.
  at(name, text, offset = 0) {
    const at = this.text(name).indexOf(text);
    if (at < 0) throw new Error(`${name} has no ${text}`);
    return {textDocument: {uri: this.uri(name)}, position: this.document(name).positionAt(at + offset)};
  }
  of(name, range, range_end) {
    const document = this.document(name);
    const whole = {start: {line: 0, character: 0}, end: document.positionAt(document.getText().length)};
    return {textDocument: {uri: document.uri}, range: range ? {start: range, end: range_end || range} : whole};
  }
  slice(name, range) { return this.document(name).getText(range); }

  // ---- findings
  look() { this.waiting = this.waiting.filter((wait) => !wait()); }
  // Until what is published of the file is as wanted; by default: of its present version.
  diagnostics(name, wanted = () => true, milliseconds = 10000) {
    const uri = this.uri(name);
    const test = () => {
      const now = this.published.get(uri);
      if (!now) return undefined;
      const open = this.documents.get(uri);
      if (open && now.version !== open.version && !this.how.unversioned) return undefined;
      return wanted(now.diagnostics) ? now.diagnostics : undefined;
    };
    return this.until(test, milliseconds, () => `findings of ${name}; there are ${JSON.stringify(this.published.get(uri), null, 1)}`);
  }
  until(test, milliseconds = 10000, what = () => 'it') {
    return new Promise((done, fail) => {
      const first = test();
      if (first !== undefined && first !== false) return done(first);
      const timer = setTimeout(() => fail(new Error(`waited in vain for ${what()}`.slice(0, 4000) + `\n${this.errors}`)), milliseconds);
      this.waiting.push(() => {
        const found = test();
        if (found === undefined || found === false) return false;
        clearTimeout(timer);
        done(found);
        return true;
      });
    });
  }
  // Nothing is published of these files although everything has been checked.
  async quiet(name, milliseconds = 400) {
    await new Promise((done) => setTimeout(done, milliseconds));
    return this.published.get(this.uri(name)) === undefined;
  }

  // ---- edits that the server proposes
  // The files' texts after a WorkspaceEdit; open documents are changed in the server too.
  async apply(edit) {
    const changes = edit.documentChanges || Object.entries(edit.changes).map(([uri, edits]) => ({textDocument: {uri}, edits}));
    const out = {};
    for (const change of changes) {
      const uri = change.kind === 'create' ? change.uri : change.textDocument.uri;
      const name = path.relative(this.root, decodeURIComponent(new URL(uri).pathname));
      if (change.kind === 'create') {
        fs.writeFileSync(path.join(this.root, name), '');
        continue;
      }
      const open = this.documents.get(uri);
      if (open && change.textDocument.version !== undefined && change.textDocument.version !== open.version) throw new Error(
        'an edit of an older version');
      const before = open || TextDocument.create(uri, '', 0, fs.readFileSync(path.join(this.root, name), 'utf8'));
      const text = TextDocument.applyEdits(before, change.edits);
      out[name] = text;
      if (open)
        await this.edit(name, {text});
      else
        fs.writeFileSync(path.join(this.root, name), text);
    }
    return out;
  }
  actions(name, range, range_end, only) {
    const context = {diagnostics: (this.published.get(this.uri(name)) || {diagnostics: []}).diagnostics};
    if (only) context.only = only;
    return this.request('textDocument/codeAction', {...this.of(name, range, range_end), context});
  }

  async stop() {
    await this.request('shutdown');
    await this.notify('exit');
    const code = await this.exited;
    this.connection.dispose();
    return code;
  }
  // Until it is gone: it might still write into its folder.
  async kill() {
    this.connection.dispose();
    this.process.kill('SIGKILL');
    await this.exited;
  }
}

module.exports = {Client, everything};
