/** The API for other extensions: `vscode.extensions.getExtension('leakline.leakline').activate()`. */
import type * as vscode from 'vscode';
import type { ReportJson } from '../core/render/findingJson.js';
import type { CompareReport, SnapshotReport } from '../core/report/report.js';

export interface LeaklineApi {
  /** Changes when something here is taken away or means something else. */
  readonly version: 1;
  /**
   * A copy of the report on all snapshots, each run with its findings; null if there is none. Its `schema` has its own
   * version.
   */
  report(): ReportJson | null;
  /** Fires when {@link report} changes. */
  readonly onDidChangeReport: vscode.Event<void>;
  /**
   * Reads a file that need not be in the workspace, and watches it.
   * @returns its snapshots: one, several of a saved page, none of a log
   * @throws an object with a `message` for users
   */
  openSnapshot(path: string): Promise<readonly SnapshotReport[]>;
  /** Growth between two snapshots, by line. The editor does not change. @throws an object with a `message` for users */
  compare(before: string, after: string): Promise<CompareReport>;
}
