// The client side: starts `shardlint lsp`, shows its state, and does what only the editor can do.
import * as vscode from 'vscode';
import { LanguageClient, LanguageClientOptions, ServerOptions, State } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;
let status: vscode.StatusBarItem;

const languages = ['yaml', 'toml', 'json', 'jsonc', 'shellscript', 'cpp', 'cuda-cpp'];
// Documents that no language names, but whose endings the server knows.
const endings = '**/*.{toml,sbatch,slurm}';

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left, 0);
  status.name = 'shardlint';
  status.command = 'shardlint.showOutput';
  context.subscriptions.push(
    status,
    vscode.commands.registerCommand('shardlint.restart', restart),
    vscode.commands.registerCommand('shardlint.showOutput', () => client?.outputChannel.show()),
    vscode.commands.registerCommand('shardlint.select', select),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration('shardlint.path')) await restart();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  const old = client;
  client = undefined;
  try {
    await old?.dispose();
  } catch {
    // It did not run: there is nothing to stop.
  }
}

function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('shardlint');
}

async function start(): Promise<void> {
  const command = settings().get<string>('path') || 'shardlint';
  const server: ServerOptions = { command, args: ['lsp'] };
  const options: LanguageClientOptions = {
    // Not the old versions of files that Git and comparisons show.
    documentSelector: ['file', 'untitled'].flatMap((scheme) => [
      ...languages.map((language) => ({ scheme, language })),
      { scheme, pattern: endings },
    ]),
    synchronize: { configurationSection: 'shardlint' },
    initializationOptions: {
      debounce: settings().get('debounce'),
      advice: settings().get('advice'),
      scope: settings().get('scope'),
      cluster: settings().get('cluster'),
      selects: true,
    },
  };
  client = new LanguageClient('shardlint', 'shardlint', server, options);
  client.onDidChangeState(({ newState }) => show(newState));
  show(State.Starting);
  try {
    await client.start();
  } catch (fault) {
    show(State.Stopped);
    const choice = await vscode.window.showErrorMessage(
      `shardlint: \`${command}\` cannot be started: ${fault instanceof Error ? fault.message : String(fault)}`, 'Open Settings');
    if (choice) await vscode.commands.executeCommand('workbench.action.openSettings', 'shardlint.path');
  }
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

function show(state: State): void {
  const [icon, says] = state === State.Running ? ['check', 'running']
    : state === State.Starting ? ['sync~spin', 'starting'] : ['error', 'stopped'];
  status.text = `$(${icon}) shardlint`;
  status.tooltip = `shardlint is ${says}`;
  status.show();
}

type Position = { line: number; character: number };

// Behind an ignore that was written: the reason is selected, to be typed over.
async function select(uri: string, range: { start: Position; end: Position }): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const editor = await vscode.window.showTextDocument(document);
  editor.selection = new vscode.Selection(range.start.line, range.start.character, range.end.line, range.end.character);
}
