import * as vscode from 'vscode';
import type { Bytes } from '../core/model/units.js';
import type { PathRule } from '../core/attribution/paths/pathMapping.js';
import type { ReadingSettings } from '../protocol/workerApi.js';
import type { AlertWhen } from './alerts/alertPolicy.js';
import { Setting, SETTINGS_SECTION } from './contributions.js';

/** Which marks are shown in the editor. */
export interface MarkSettings {
  codeLens: boolean;
  endOfLine: boolean;
  gutter: boolean;
  hover: boolean;
  /** Lines that leak are listed as problems. */
  problems: boolean;
}

/**
 * The value of a setting. Users edit settings by hand: a value of another type than the manifest's default counts as not
 * set, as does a negative number.
 */
function read(name: string, scope?: vscode.ConfigurationScope): unknown {
  const settings = vscode.workspace.getConfiguration(SETTINGS_SECTION, scope ?? null);
  const value = settings.get<unknown>(name);
  const byDefault = settings.inspect<unknown>(name)?.defaultValue;
  const isOfType = typeof value === typeof byDefault && Array.isArray(value) === Array.isArray(byDefault);
  const isAmount = typeof value !== 'number' || (value >= 0 && value < Infinity);
  return isOfType && isAmount && value !== null ? value : byDefault;
}

/** The strings of a list; other items are ignored. */
function texts(name: string, scope?: vscode.ConfigurationScope): string[] {
  return (read(name, scope) as unknown[]).filter((item) => typeof item === 'string');
}

export function markSettings(): MarkSettings {
  return {
    codeLens: read(Setting.marksCodeLens) as boolean,
    endOfLine: read(Setting.marksEndOfLine) as boolean,
    gutter: read(Setting.marksGutter) as boolean,
    hover: read(Setting.marksHover) as boolean,
    problems: problemSeverity() !== null,
  };
}

/** Severity of a leak in the Problems view; null for no problem. */
export function problemSeverity(): vscode.DiagnosticSeverity | null {
  const { Error, Warning, Information, Hint } = vscode.DiagnosticSeverity;
  const severities = new Map(Object.entries({ error: Error, warning: Warning, information: Information, hint: Hint }));
  return severities.get(read(Setting.problemsSeverity) as string) ?? null;
}

/** When a run causes a notification. */
export function alertWhen(): AlertWhen {
  return read(Setting.alertsWhen) as AlertWhen;
}

/** Whether marks stay while a program is debugged. */
export function marksWhileDebugging(): boolean {
  return read(Setting.marksWhileDebugging) as boolean;
}

/** True if out-of-memory messages in the output of programs are explained. */
export function explainsOutput(): boolean {
  return read(Setting.outOfMemoryOutput) as boolean;
}

/** Globs of logs that are searched for out-of-memory messages. */
export function logGlobs(folder: vscode.Uri): string[] {
  return texts(Setting.outOfMemoryLogs, folder);
}

/** Globs of possible snapshots, and of exclusions besides the default folders. */
export function snapshotGlobs(folder: vscode.Uri): { include: string[]; exclude: string[] } {
  return {
    include: texts(Setting.snapshotsInclude, folder),
    exclude: texts(Setting.snapshotsExclude, folder),
  };
}

/** Options of the recorder for *Run Python File with Recording*. */
export function recorderOptions(script: vscode.Uri): string[] {
  return texts(Setting.recordingOptions, script);
}

/** Polling of a folder: automatic, always or never. */
export function pollingMode(folder: vscode.Uri): 'auto' | 'on' | 'off' {
  return read(Setting.snapshotsPolling, folder) as 'auto' | 'on' | 'off';
}

/** Lines that are never marked in the editor: smaller ones, and those in files of these globs. */
export function markLimits(): { minimumBytes: number; exclude: string[] } {
  return {
    minimumBytes: (read(Setting.marksMinimum) as number) * 2 ** 20,
    exclude: texts(Setting.marksExclude),
  };
}

/** Memory of each device; null if only the recorder knows it. */
export function deviceCapacity(): Bytes | null {
  const capacity = read(Setting.gpuCapacity) as number;
  return capacity > 0 ? Math.round(capacity * 2 ** 30) : null;
}

/** Folders that the user has mapped by hand. */
export function pathRules(): PathRule[] {
  return Object.entries(read(Setting.pathsMap) as Record<string, unknown>).flatMap(([recorded, workspace]) =>
    typeof workspace === 'string' ? [{ recorded: trimEnd(recorded), workspace: trimEnd(workspace) }] : [],
  );
}

/** Options for reading files. @param cacheFolder folder of the cache, null for none */
export function readingSettings(cacheFolder: string | null): ReadingSettings {
  const seconds = read(Setting.readingTimeLimit) as number;
  const mib = read(Setting.cacheMaxSize) as number;
  return {
    timeLimitMs: seconds === 0 ? null : seconds * 1000,
    cache: cacheFolder === null ? null : { folder: cacheFolder, maxBytes: mib * 2 ** 20 },
  };
}

/** Adds one mapping to the settings of the workspace. */
export async function addPathRule(rule: PathRule): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SETTINGS_SECTION, null);
  const present = settings.inspect<Record<string, string>>(Setting.pathsMap)?.workspaceValue ?? {};
  const value = { ...present, [rule.recorded]: rule.workspace };
  await settings.update(Setting.pathsMap, value, vscode.ConfigurationTarget.Workspace);
}

/** True if a change of the settings touches `name`. */
export function affects(event: vscode.ConfigurationChangeEvent, name: string): boolean {
  return event.affectsConfiguration(`${SETTINGS_SECTION}.${name}`);
}

function trimEnd(path: string): string {
  return path.replace(/[/\\]+$/, '');
}
