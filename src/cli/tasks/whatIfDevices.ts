/** `leakline what-if`: recorded allocations under other settings, on another device, or without some lines. */
import { finish } from '../../core/allocator/deviceAnswer.js';
import type { FileLookup } from '../../core/attribution/owner.js';
import { mapPaths } from '../../core/attribution/paths/pathMapping.js';
import { findSteps } from '../../core/attribution/steps/steps.js';
import { SnapshotError } from '../../core/bytes/snapshotError.js';
import { noSnapshot, readAll } from '../../core/formats/readSnapshot.js';
import type { Recording } from '../../core/model/recording.js';
import type { Snapshot } from '../../core/model/snapshot.js';
import { leakyFailures, withoutLeaks } from '../../core/report/peak/leakReplay.js';
import type { Report } from '../../core/report/report.js';
import type { ReportWorkspace } from '../../core/report/reportWorkspace.js';
import { answerDevices, type DeviceWhatIf } from '../../core/report/peak/whatIfDevices.js';
import { readRecording } from '../../node/recordingFile.js';
import { readNamed, type CommandContext } from '../inputs.js';
import type { WhatIfArguments } from '../arguments.js';
import { renderWhatIfText } from '../../core/render/renderText.js';
import { printJson, printTo } from '../outFile.js';
import { UsageError } from '../usageError.js';
import { workspaceOf } from '../workspace.js';

/** @returns false: `--fail-on` does not apply @throws UsageError */
export function answerWhatIf(command: WhatIfArguments, context: CommandContext): Promise<boolean> {
  return printTo(command, context, async (to) => {
    try {
      const devices = await whatIfDevices(command, await workspaceOf(command, to), to);
      if (command.output === 'json') printJson({ devices }, to);
      else to.print(renderWhatIfText(devices));
    } catch (error) {
      if (!SnapshotError.is(error)) throw error;
      to.complain(error.message);
    }
    return false;
  });
}

/** Answers the question for each device of the snapshot. @throws SnapshotError, UsageError */
async function whatIfDevices(
  command: WhatIfArguments,
  workspace: ReportWorkspace,
  context: CommandContext,
): Promise<DeviceWhatIf[]> {
  const [path] = command.inputs;
  context.reading(path);
  const { snapshot, recording } = await readOne(path);
  context.read(path, 0);
  context.analyzing();
  const lookup = lookupOf(snapshot, workspace);
  const left = new Set(command.without);
  const { capacity, without } = command;
  const settings = command.settings.length === 0 ? null : command.settings;
  const question = { settings, capacity, without, leaking: [] };
  const devices = finish(answerDevices(snapshot, recording, question, lookup, left));
  for (const { file, line } of left) {
    throw new UsageError(
      `--without ${file}:${line}: that line allocates nothing in the recording. Name one that leakline analyze lists.`,
    );
  }
  return devices;
}

/** Adds to a report what its failures would have been without its leaks. A file that is gone adds nothing. */
export async function addLeakReplays(report: Report, workspace: ReportWorkspace): Promise<void> {
  for (const leaky of leakyFailures(report)) {
    const read = await readOne(leaky.failure.path).catch(() => null);
    if (read === null) continue;
    const { snapshot, recording } = read;
    const steps = findSteps(snapshot, recording);
    leaky.failure.withoutLeaks = withoutLeaks(snapshot, steps, leaky, lookupOf(snapshot, workspace));
  }
}

/** Maps the files of a snapshot to the workspace. */
function lookupOf({ strings, frames }: Snapshot, workspace: ReportWorkspace): FileLookup {
  if (workspace.files.length === 0) return () => null;
  const recorded = new Set(frames.file.subarray(0, frames.count));
  const mapping = mapPaths(
    [...recorded].map((file) => strings.text(file)),
    workspace,
  );
  return (file) => mapping.lookup(file);
}

/** Reads the only snapshot of a file, or the one named. @throws SnapshotError */
function readOne(path: string): Promise<{ snapshot: Snapshot; recording: Recording | null }> {
  return readNamed(path, async ({ source }, member) => {
    let snapshot: Snapshot | null = null;
    for await (const { path: name, result } of readAll(source)) {
      if (result.kind !== 'snapshot') throw noSnapshot(path, result);
      if (member === null && (result.members ?? 1) > 1)
        throw new SnapshotError('unsupported', `${path} holds several snapshots. Name one of them, such as ${name}.`);
      if (member === null || name === path) snapshot ??= result.snapshot;
    }
    return snapshot && { snapshot, recording: await readRecording(path) };
  });
}
