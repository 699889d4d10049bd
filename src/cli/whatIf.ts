/** `leakline what-if`: recorded allocations under other settings, on another device, or without some lines. */
import { stat } from 'node:fs/promises';
import { answerDevice, type ChangeOutcome, type DeviceAnswer } from '../core/allocator/deviceAnswer.js';
import type { FileLookup } from '../core/attribution/owner.js';
import { ownerOfStack } from '../core/attribution/ownerTally.js';
import { mapPaths } from '../core/attribution/pathMapping.js';
import { findSteps, stepsOnDevice } from '../core/attribution/steps.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import { noSnapshot, readAll } from '../core/formats/readSnapshot.js';
import { deviceHistory, type DeviceHistory } from '../core/model/history.js';
import { splitMember } from '../core/model/memberPath.js';
import type { Recording } from '../core/model/recording.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Bytes } from '../core/model/units.js';
import type { ReportWorkspace } from '../core/report/reportWorkspace.js';
import { byteText, signedByteText } from '../core/text/byteText.js';
import { countText } from '../core/text/numberText.js';
import { visibleText } from '../core/text/plainText.js';
import { tableLines, type Column } from '../core/text/textTable.js';
import { expectUnchanged, openFile } from '../node/fileSource.js';
import { readRecording } from '../node/recordingFile.js';
import type { CommandContext } from './inputs.js';
import type { WhatIfArguments } from './arguments.js';
import { UsageError } from './usageError.js';

/** The answers for one device, as JSON has them. */
export type DeviceJson = { device: number } & DeviceAnswer;

/** Answers the question for each device of the snapshot. @throws SnapshotError, UsageError */
export async function whatIfDevices(
  command: WhatIfArguments,
  workspace: ReportWorkspace,
  context: CommandContext,
): Promise<DeviceJson[]> {
  const [path] = command.inputs;
  context.reading(path);
  const { snapshot, recording } = await readOne(path);
  context.read(path, 0);
  context.analyzing();
  const lookup = lookupOf(snapshot, workspace);
  const steps = findSteps(snapshot, recording);
  const left = new Set(command.without);
  const devices = snapshot.traces
    .filter(({ count }) => count > 0)
    .map(({ device }) => {
      const history = deviceHistory(snapshot, device);
      const without =
        command.without.length === 0 ? null : rowsOfLines(snapshot, history, command.without, lookup, left);
      const answer = answerDevice(snapshot, history, {
        settings: command.settings.length === 0 ? null : command.settings,
        capacity: command.capacity,
        without,
        steps: steps === null ? [] : (stepsOnDevice(snapshot, steps, device)?.starts ?? []),
      });
      return { device, ...answer };
    });
  for (const { file, line } of left) {
    throw new UsageError(
      `--without ${file}:${line}: that line allocates nothing in the recording. Name one that leakline analyze lists.`,
    );
  }
  return devices;
}

/** A line as the command has it: the file is the end of a path. */
export interface NamedLine {
  readonly file: string;
  readonly line: number;
}

/** Marks the allocations of some lines. @param left lines that no allocation was found for; found ones are removed */
function rowsOfLines(
  snapshot: Snapshot,
  { allocations }: DeviceHistory,
  lines: readonly NamedLine[],
  lookup: FileLookup,
  left: Set<NamedLine>,
): Uint8Array {
  const rows = new Uint8Array(allocations.count);
  const known = new Map<string, boolean>();
  for (let row = 0; row < allocations.count; row++) {
    const [stack, forward] = [allocations.stack[row], allocations.forwardStack[row]];
    const key = `${stack} ${forward}`;
    let isNamed = known.get(key);
    if (isNamed === undefined) {
      const owner = ownerOfStack(snapshot, stack, forward, 'noStack', lookup);
      const named = 'line' in owner ? lines.find((line) => isLine(owner.line, line)) : undefined;
      if (named !== undefined) left.delete(named);
      isNamed = named !== undefined;
      known.set(key, isNamed);
    }
    rows[row] = Number(isNamed);
  }
  return rows;
}

function isLine(owner: NamedLine, { file, line }: NamedLine): boolean {
  const plain = (path: string): string => `/${path.replaceAll('\\', '/')}`;
  return owner.line === line && plain(owner.file).endsWith(plain(file));
}

function lookupOf({ strings, frames }: Snapshot, { files, rules }: ReportWorkspace): FileLookup {
  if (files.length === 0) return () => null;
  const recorded = new Set(frames.file.subarray(0, frames.count));
  const mapping = mapPaths(
    [...recorded].map((file) => strings.text(file)),
    files,
    rules,
  );
  return (file) => mapping.lookup(file);
}

async function readOne(path: string): Promise<{ snapshot: Snapshot; recording: Recording | null }> {
  const isFile = (await stat(path).catch(() => null))?.isFile() === true;
  const member = isFile ? null : splitMember(path);
  const file = await openFile(member?.file ?? path);
  try {
    const recording = await readRecording(path);
    const found: Snapshot[] = [];
    for await (const { path: name, result } of readAll(file.source)) {
      if (result.kind !== 'snapshot') throw noSnapshot(path, result);
      if (member === null && (result.members ?? 1) > 1)
        throw new SnapshotError('unsupported', `${path} holds several snapshots. Name one of them, such as ${name}.`);
      if (member === null || name === path) found.push(result.snapshot);
    }
    await expectUnchanged(file);
    if (found.length > 0) return { snapshot: found[0], recording };
  } finally {
    await file.close();
  }
  throw new SnapshotError('unreadable', `There is no ${path}: its file holds fewer snapshots. Name one of them.`);
}

/** The answers as text. */
export function whatIfText(devices: readonly DeviceJson[]): string {
  if (devices.length === 0)
    return 'The recording has no trace. Record with torch.cuda.memory._record_memory_history.\n';
  const text = (device: DeviceJson): string =>
    deviceLines(device)
      .map((line) => `${visibleText(line)}\n`)
      .join('');
  return devices.map(text).join('\n');
}

function deviceLines({ device, replay, recorded, outcomes }: DeviceJson): string[] {
  const name = `Device ${device}:`;
  if (recorded === null) return [`${name} ${replay.firstDifference?.sentence ?? ''}`];
  const { failure, capacityBytes, olderBytes } = recorded;
  const lines = [
    `${name} ${countText(replay.allocations)} allocations and ${countText(replay.segments)} segments replayed, all as recorded.`,
    `Reserved as recorded: ${byteText(recorded.reservedPeakBytes)} at the peak, ${byteText(recorded.reservedEndBytes)} at the end.`,
  ];
  if (failure !== null) {
    const event = countText(failure.event);
    lines.push(
      failure.isReproduced
        ? `Out of memory at event ${event}: the replay with the device's capacity fails there too.`
        : `Out of memory at event ${event}: the replay with the device's capacity does not fail there, so other memory of the device changed meanwhile.`,
    );
  }
  if (capacityBytes !== null && recorded.smallestCapacityBytes !== null) {
    const verdict = recorded.fits === true ? 'is enough' : `is ${byteText(recorded.shortBytes)} short`;
    lines.push(
      `With the recorded settings, ${byteText(capacityBytes)} ${verdict}: ${byteText(recorded.smallestCapacityBytes)} is the smallest capacity that fits.`,
    );
  }
  if (outcomes.length === 0) return [...lines, 'No setting changes what is reserved.'];
  lines.push(
    '',
    ...tableLines(
      columnsOf(capacityBytes),
      outcomes.map((one) => cellsOf(one, capacityBytes !== null)),
    ),
  );
  if (outcomes.some(({ isEstimate }) => isEstimate) && olderBytes > 0) {
    lines.push(
      '',
      `~ estimated: ${byteText(olderBytes)} is older than the trace, and is laid out again in the order of its addresses.`,
    );
  }
  if (outcomes.some(({ setting }) => setting?.includes('garbage_collection_threshold') === true))
    lines.push(
      '',
      'garbage_collection_threshold needs torch.cuda.set_per_process_memory_fraction(1.0), else it has no effect.',
    );
  return lines;
}

function columnsOf(capacity: Bytes | null): Column[] {
  const asked = capacity === null ? [] : [`of ${byteText(capacity)}`, 'smallest that fits'];
  const titles = ['change', 'reserved peak', 'difference', 'at the end', ...asked];
  return titles.map((title, i) => ({ title, align: i === 0 ? '<' : '>' }));
}

function cellsOf(outcome: ChangeOutcome, asks: boolean): string[] {
  const { setting, reservedPeakBytes, insteadOfBytes, reservedEndBytes, isEstimate, smallestCapacityBytes } = outcome;
  const cells = [
    setting ?? 'without these lines',
    `${isEstimate ? '~' : ''}${byteText(reservedPeakBytes)}`,
    signedByteText(reservedPeakBytes - insteadOfBytes),
    byteText(reservedEndBytes),
  ];
  return asks
    ? [...cells, fitText(outcome), smallestCapacityBytes === null ? '' : byteText(smallestCapacityBytes)]
    : cells;
}

function fitText({ fits, shortBytes, leftBytes }: ChangeOutcome): string {
  return fits === true ? `${byteText(leftBytes ?? 0)} left` : `${byteText(shortBytes)} short`;
}
