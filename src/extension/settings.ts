import * as v from 'valibot';
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

const flag = v.boolean();
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
const text = v.string();
/** The texts of a list; what else is in it does not count. */
const texts = v.pipe(
  v.array(v.unknown()),
  v.filterItems((item): item is string => typeof item === 'string'),
  v.array(text),
);

/** Settings are typed by hand: what has another shape counts as not set. */
function read<T>(name: string, schema: v.GenericSchema<unknown, T>, fallback: T, scope?: vscode.ConfigurationScope): T {
  const value: unknown = vscode.workspace.getConfiguration(SETTINGS_SECTION, scope ?? null).get(name);
  const { success, output } = v.safeParse(schema, value);
  return success ? output : fallback;
}

export function markSettings(): MarkSettings {
  return {
    codeLens: read(Setting.marksCodeLens, flag, true),
    endOfLine: read(Setting.marksEndOfLine, flag, true),
    gutter: read(Setting.marksGutter, flag, true),
    overviewRuler: read(Setting.marksOverviewRuler, flag, true),
    hover: read(Setting.marksHover, flag, true),
    problems: problemSeverity() !== null,
    inDiffEditors: read(Setting.marksInDiffEditors, flag, false),
  };
}

/** How bad a leak is in the Problems view, null if it is not listed there. */
export function problemSeverity(): vscode.DiagnosticSeverity | null {
  switch (read(Setting.problemsSeverity, text, 'warning')) {
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
  return {
    when: read(Setting.alertsWhen, v.picklist(['leak', 'runningOut', 'off']), 'leak'),
    stepsLeft: read(Setting.alertsStepsLeft, v.number(), MOST_STEPS_LEFT),
  };
}

/** Whether marks stay while a program is debugged. */
export function marksWhileDebugging(): boolean {
  return read(Setting.marksWhileDebugging, flag, false);
}

/** Globs of files that may be snapshots, and of what is left out besides the usual folders. */
export function snapshotGlobs(folder: vscode.Uri): { include: string[]; exclude: string[] } {
  return {
    include: read(Setting.snapshotsInclude, texts, [], folder),
    exclude: read(Setting.snapshotsExclude, texts, [], folder),
  };
}

/** What the recorder is told when *Run Python File with Recording* starts it. */
export function recorderOptions(script: vscode.Uri): string[] {
  return read(Setting.recordingOptions, texts, [], script);
}

/** Whether a folder is looked at again and again: by Leakline's own choice, always or never. */
export function pollingMode(folder: vscode.Uri): 'auto' | 'on' | 'off' {
  return read(Setting.snapshotsPolling, v.picklist(['auto', 'on', 'off']), 'auto', folder);
}

/** Which lines are never marked in the editor, whatever is said of them: lines of less, and files of these globs. */
export function markLimits(): { minimumBytes: number; exclude: string[] } {
  return {
    minimumBytes: read(Setting.marksMinimum, amount, 0) * 2 ** 20,
    exclude: read(Setting.marksExclude, texts, []),
  };
}

/** Memory of each device, null where only the recorder can tell. */
export function deviceCapacity(): Bytes | null {
  const capacity = read(Setting.gpuCapacity, amount, 0);
  return capacity > 0 ? Math.round(capacity * 2 ** 30) : null;
}

/** Folders that the user has mapped by hand. */
export function pathRules(): PathRule[] {
  const map = read(Setting.pathsMap, v.record(text, v.unknown()), {});
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
  const seconds = read(Setting.readingTimeLimit, amount, DEFAULT_TIME_LIMIT_S);
  const mib = read(Setting.cacheMaxSize, amount, DEFAULT_CACHE_MIB);
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
