// As much of VS Code's API as the extension and its client library touch at run time. What is not written out here is an empty class, a
// function that does nothing, or an event that never comes.
'use strict';

const fs = require('node:fs');
const {fileURLToPath, pathToFileURL} = require('node:url');

class Disposable {
  constructor(call) { this.call = call; }
  dispose() { if (this.call) this.call(); }
  static from(...all) { return new Disposable(() => all.forEach((one) => one.dispose())); }
}
class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = self ? listener.bind(self) : listener;
      this.listeners.add(bound);
      return new Disposable(() => this.listeners.delete(bound));
    };
  }
  fire(value) { return Promise.all([...this.listeners].map((listener) => listener(value))); }
  dispose() { this.listeners.clear(); }
}
class Position {
  constructor(line, character) { this.line = line; this.character = character; }
}
class Range {
  constructor(a, b, c, d) {
    this.start = typeof a === 'number' ? new Position(a, b) : a;
    this.end = typeof a === 'number' ? new Position(c, d) : b;
  }
}
class Uri {
  constructor(text) { this.text = text; }
  static parse(text) { return new Uri(text); }
  static file(path) { return new Uri(pathToFileURL(path).href); }
  get scheme() { return this.text.slice(0, this.text.indexOf(':')); }
  get fsPath() { return fileURLToPath(this.text); }
  get path() { return this.fsPath; }
  toString() { return this.text; }
}
class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, {range, message, severity}); }
}
class CancellationTokenSource {
  constructor() { this.token = {isCancellationRequested: false, onCancellationRequested: new EventEmitter().event}; }
  cancel() {}
  dispose() {}
}

// A module whose unknown members are made up: an event by its name, a class by its capital, else a function.
function filled(known, name) {
  return new Proxy(known, {
    get(target, key) {
      if (key in target || typeof key === 'symbol') return target[key];
      if (/^on[A-Z]/.test(key)) return (target[key] = new EventEmitter().event);
      if (name === 'vscode' && /^[A-Z]/.test(key)) return (target[key] = filled(class {}, key));
      if (name !== 'vscode') return (target[key] = /^[A-Z]/.test(key) ? key : () => new Disposable());
      return (target[key] = filled({}, key));
    },
  });
}

// What a test sees: status, output, diagnostics by URI, providers by kind, commands by name, what was shown.
function host(settings, folder) {
  const seen = {commands: new Map(), diagnostics: new Map(), providers: {}, status: {}, errors: [], selected: null};
  const events = {opened: new EventEmitter(), changed: new EventEmitter(), closed: new EventEmitter(), saved: new EventEmitter(),
    settings: new EventEmitter()};
  const documents = [];
  const provider = (kind) => (selector, given) => {
    seen.providers[kind] = given;
    return new Disposable(() => delete seen.providers[kind]);
  };
  const configuration = (section) => ({
    get: (key, fallback) => {
      const value = settings[section ? `${section}.${key}` : key];
      return value === undefined ? fallback : value;
    },
    has: () => true, inspect: () => undefined, update: async () => {},
    ...(section === 'shardlint'
      ? Object.fromEntries(Object.entries(settings).map(([key, value]) => [key.replace('shardlint.', ''), value])) : {}),
  });
  const vscode = filled({
    Disposable, EventEmitter, Position, Range, Uri, Diagnostic, CancellationTokenSource, Selection: Range,
    Location: class { constructor(uri, range) { Object.assign(this, {uri, range}); } },
    DiagnosticRelatedInformation: class { constructor(location, message) { Object.assign(this, {location, message}); } },
    CodeAction: class { constructor(title, kind) { Object.assign(this, {title, kind}); } },
    CodeActionKind: class CodeActionKind {
      constructor(value) { this.value = value; }
      append(part) { return new vscode.CodeActionKind(this.value ? `${this.value}.${part}` : part); }
      static Empty = new this(''); static QuickFix = new this('quickfix'); static Refactor = new this('refactor');
      static Source = new this('source');
    },
    WorkspaceEdit: class {
      constructor() { this.edits = []; }
      replace(uri, range, newText) { this.edits.push([uri.toString(), [{range, newText}]]); }
      insert(uri, position, newText) { this.replace(uri, new Range(position, position), newText); }
      createFile(uri) { this.edits.push([uri.toString(), 'create']); }
    },
    TextEdit: class { constructor(range, newText) { Object.assign(this, {range, newText}); } },
    MarkdownString: class {
      constructor(value) { this.value = value; }
      appendMarkdown(text) { this.value = (this.value || '') + text; return this; }
    },
    Hover: class { constructor(contents, range) { Object.assign(this, {contents, range}); } },
    DiagnosticSeverity: {Error: 0, Warning: 1, Information: 2, Hint: 3},
    DiagnosticTag: {Unnecessary: 1, Deprecated: 2},
    StatusBarAlignment: {Left: 1, Right: 2},
    CodeActionTriggerKind: {Invoke: 1, Automatic: 2},
    version: '1.99.0',
    env: {appName: 'host', language: 'en', openExternal: async () => true},
    window: filled({
      createStatusBarItem: () => Object.assign(seen.status, {show() {}, hide() {}, dispose() {}}),
      createOutputChannel: () => ({append() {}, appendLine() {}, show() { seen.output = true; }, dispose() {}, clear() {}}),
      showErrorMessage: async (message) => { seen.errors.push(message); },
      showTextDocument: async (document) => ({document, set selection(range) { seen.selected = range; }}),
      visibleTextEditors: [], tabGroups: {all: [], onDidChangeTabs: new EventEmitter().event,
        onDidChangeTabGroups: new EventEmitter().event},
    }, 'window'),
    workspace: filled({
      textDocuments: documents, notebookDocuments: [], workspaceFolders: [{uri: Uri.file(folder), name: 'job', index: 0}],
      getConfiguration: configuration,
      getWorkspaceFolder: () => undefined,
      onDidOpenTextDocument: events.opened.event, onDidChangeTextDocument: events.changed.event,
      onDidCloseTextDocument: events.closed.event, onDidSaveTextDocument: events.saved.event,
      onDidChangeConfiguration: events.settings.event,
      openTextDocument: async (uri) => documents.find((document) => document.uri.toString() === uri.toString()),
      createFileSystemWatcher: () => ({onDidCreate: new EventEmitter().event, onDidChange: new EventEmitter().event,
        onDidDelete: new EventEmitter().event, dispose() {}}),
    }, 'workspace'),
    languages: filled({
      match: () => 10,
      createDiagnosticCollection: () => ({
        set: (uri, list) => seen.diagnostics.set(uri.toString(), list), delete: (uri) => seen.diagnostics.delete(uri.toString()),
        clear: () => seen.diagnostics.clear(), dispose: () => seen.diagnostics.clear(), has: () => false,
      }),
      registerCodeActionsProvider: provider('actions'), registerHoverProvider: provider('hover'),
      registerCodeLensProvider: provider('lens'),
      registerInlayHintsProvider: provider('hints'), registerCompletionItemProvider: provider('completion'),
    }, 'languages'),
    commands: filled({
      registerCommand: (name, call) => { seen.commands.set(name, call); return new Disposable(() => seen.commands.delete(name)); },
      executeCommand: async (name, ...args) => seen.commands.get(name)?.(...args),
    }, 'commands'),
  }, 'vscode');

  // A document of the editor, with what the client asks of it.
  const open = (file, languageId) => {
    let text = fs.readFileSync(file, 'utf8'), version = 1;
    const document = {
      uri: Uri.file(file), fileName: file, languageId, isDirty: false, isClosed: false,
      get version() { return version; }, getText: () => text,
      async replace(from, to) {
        const at = text.indexOf(from), before = text.slice(0, at).split('\n');
        const line = before.length - 1, character = before[line].length;
        text = text.slice(0, at) + to + text.slice(at + from.length);
        ++version;
        const range = new Range(line, character, line, character + from.length);
        await events.changed.fire({document, reason: undefined, contentChanges: [{range, rangeLength: from.length, text: to}]});
      },
    };
    documents.push(document);
    return document;
  };
  return {vscode, seen, events, open, Position, Range};
}

module.exports = {host};
