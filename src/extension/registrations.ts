/** Names that VS Code knows from the start, each with its implementation. */
import * as vscode from 'vscode';
import {
  Command,
  InternalCommand,
  LanguageModelTool,
  RECORDING_TASK_TYPE,
  SNAPSHOT_EDITOR,
  TIMELINE_VIEW_TYPE,
  View,
} from './contributions.js';
import type { Surfaces } from './surfaces.js';
import { LazyTree } from './views/lazyTree.js';
import type { TreeViews } from './views/views.js';

export function registerViews(surfaces: () => Promise<Surfaces>): TreeViews {
  return {
    leaks: new LazyTree(View.leaks, async () => (await surfaces()).views.leaksTree),
    compare: new LazyTree(View.compare, async () => (await surfaces()).views.compareTree),
    snapshots: new LazyTree(View.snapshots, async () => (await surfaces()).views.snapshotsTree, true),
  };
}

/** Registers all names for VS Code. The first call loads the surfaces. */
export function register(surfaces: () => Promise<Surfaces>): vscode.Disposable[] {
  const { window, commands, lm } = vscode;
  return [
    ...[...Object.values(Command), ...Object.values(InternalCommand)].map((id) =>
      commands.registerCommand(id, async (...args: unknown[]) => (await surfaces()).runCommand(id, args)),
    ),
    ...Object.values(LanguageModelTool).map((name) =>
      lm.registerTool<Record<string, unknown>>(name, {
        prepareInvocation: async (options, token) => (await surfaces()).tools[name].prepareInvocation?.(options, token),
        invoke: async (options, token) => (await surfaces()).tools[name].invoke(options, token),
      }),
    ),
    window.registerWebviewViewProvider(View.timeline, {
      resolveWebviewView: async (view) => (await surfaces()).timeline.resolveWebviewView(view),
    }),
    window.registerWebviewPanelSerializer(TIMELINE_VIEW_TYPE, {
      deserializeWebviewPanel: async (tab) => (await surfaces()).timeline.deserializeWebviewPanel(tab),
    }),
    window.registerCustomEditorProvider(SNAPSHOT_EDITOR, {
      openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
      resolveCustomEditor: async (document, panel) =>
        (await surfaces()).snapshotEditor.resolveCustomEditor(document, panel),
    }),
    vscode.tasks.registerTaskProvider(RECORDING_TASK_TYPE, {
      provideTasks: async () => (await surfaces()).recordings.provideTasks(),
      resolveTask: async (task) => (await surfaces()).recordings.resolveTask(task),
    }),
    vscode.debug.registerDebugConfigurationProvider(
      'debugpy',
      { provideDebugConfigurations: async () => (await surfaces()).debugConfigurations() },
      vscode.DebugConfigurationProviderTriggerKind.Dynamic,
    ),
  ];
}
