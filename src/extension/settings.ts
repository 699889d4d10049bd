import * as vscode from 'vscode';
import type { Bytes } from '../core/model/units.js';
import type { PathRule } from '../core/attribution/pathMapping.js';
import type { ReadingSettings } from '../protocol/workerApi.js';
import type { AlertSettings } from './alerts/alertPolicy.js';
import { Setting, SETTINGS_SECTION } from './contributions.js';

/** Which marks are shown in the editor. */
export interface MarkSettings {
  codeLens: boolean;
  endOfLine: boolean;
  gutter: boolean;
  overviewRuler: boolean;
  hover: boolean;
  /** Lines that leak are listed as problems. */
  problems: boolean;
  /** Also in editors that compare two texts. */
  inDiffEditors: boolean;
}

/** The default of the setting. */
const MOST_STEPS_LEFT = 500;

function read<T>(name: string, fallback: T, scope?: vscode.ConfigurationScope): T {
  return vscode.workspace.getConfiguration(SETTINGS_SECTION, scope ?? null).get<T>(name, fallback);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

export function markSettings(): MarkSettings {
  return {
    codeLens: read(Setting.marksCodeLens, true),
    endOfLine: read(Setting.marksEndOfLine, true),
    gutter: read(Setting.marksGutter, true),
    overviewRuler: read(Setting.marksOverviewRuler, true),
    hover: read(Setting.marksHover, true),
    problems: problemSeverity() !== null,
    inDiffEditors: read(Setting.marksInDiffEditors, false),
  };
}

/** How bad a leak is in the Problems view, null if it is not listed there. */
export function problemSeverity(): vscode.DiagnosticSeverity | null {
  switch (read<string>(Setting.problemsSeverity, 'warning')) {
    case 'error':
      return vscode.DiagnosticSeverity.Error;
    case 'warning':
      return vscode.DiagnosticSeverity.Warning;
    case 'information':
      return vscode.DiagnosticSeverity.Information;
    case 'hint':
      return vscode.DiagnosticSeverity.Hint;
    default:
      return null;
  }
}

/** When a run is worth a notification. */
export function alertSettings(): AlertSettings {
  const when = read<string>(Setting.alertsWhen, 'leak');
  const stepsLeft = read<unknown>(Setting.alertsStepsLeft, MOST_STEPS_LEFT);
  return {
    when: when === 'runningOut' || when === 'off' ? when : 'leak',
    stepsLeft: typeof stepsLeft === 'number' ? stepsLeft : MOST_STEPS_LEFT,
  };
}

/** Whether marks stay while a program is debugged. */
export function marksWhileDebugging(): boolean {
  return read(Setting.marksWhileDebugging, false);
}

/** Globs of files that may be snapshots, and of what is left out besides the usual folders. */
export function snapshotGlobs(folder: vscode.Uri): { include: string[]; exclude: string[] } {
  return {
    include: texts(read<unknown>(Setting.snapshotsInclude, [], folder)),
    exclude: texts(read<unknown>(Setting.snapshotsExclude, [], folder)),
  };
}

/** What the recorder is told when *Run Python File with Recording* starts it. */
export function recorderOptions(script: vscode.Uri): string[] {
  return texts(read<unknown>(Setting.recordingOptions, [], script));
}

/** Whether a folder is looked at again and again: by Leakline's own choice, always or never. */
export function pollingMode(folder: vscode.Uri): 'auto' | 'on' | 'off' {
  const mode = read<string>(Setting.snapshotsPolling, 'auto', folder);
  return mode === 'on' || mode === 'off' ? mode : 'auto';
}

/** Which lines are never marked in the editor, whatever is said of them: lines of less, and files of these globs. */
export function markLimits(): { minimumBytes: number; exclude: string[] } {
  const minimum = read<unknown>(Setting.marksMinimum, 0);
  return {
    minimumBytes: typeof minimum === 'number' && minimum > 0 ? minimum * 2 ** 20 : 0,
    exclude: texts(read<unknown>(Setting.marksExclude, [])),
  };
}

/** Memory of each device, null where only the recorder can tell. */
export function deviceCapacity(): Bytes | null {
  const capacity = read<unknown>(Setting.gpuCapacity, 0);
  return typeof capacity === 'number' && capacity > 0 ? Math.round(capacity * 2 ** 30) : null;
}

/** Folders that the user has mapped by hand. */
export function pathRules(): PathRule[] {
  const map = read<unknown>(Setting.pathsMap, {});
  if (typeof map !== 'object' || map === null) return [];
  return Object.entries(map).flatMap(([recorded, workspace]) =>
    typeof workspace === 'string' ? [{ recorded: trimEnd(recorded), workspace: trimEnd(workspace) }] : [],
  );
}

const DEFAULT_TIME_LIMIT_S = 600;
const DEFAULT_CACHE_MIB = 2048;

/**
 * How files are read.
 * @param cacheFolder where columns may be kept, null for nowhere
 */
export function readingSettings(cacheFolder: string | null): ReadingSettings {
  const seconds = amount(read<unknown>(Setting.readingTimeLimit, DEFAULT_TIME_LIMIT_S), DEFAULT_TIME_LIMIT_S);
  const mib = amount(read<unknown>(Setting.cacheMaxSize, DEFAULT_CACHE_MIB), DEFAULT_CACHE_MIB);
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

/** Settings are typed by hand: what is not an amount counts as not set. */
function amount(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : fallback;
}

function trimEnd(path: string): string {
  return path.replace(/[/\\]+$/, '');
}
