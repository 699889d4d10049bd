import { recordedKind } from '../model/recordedFile.js';
import { frameKind, type FrameKind } from './frameKind.js';
import type { DigestFrame } from '../model/digestFrame.js';

/** The workspace file of a recorded file, or null. */
export type FileLookup = (recorded: string) => string | null;

/** A source line that owns memory. */
export interface OwnerLine {
  /** The path, relative to its workspace folder if mapped, else as recorded. */
  file: string;
  /** 1-based. */
  line: number;
  function: string;
  mapped: boolean;
}

/** A frame as it is shown. */
export interface ShownFrame extends OwnerLine {
  kind: FrameKind;
}

/** Buckets of memory without a stack: older than the recording, or recorded without stacks. */
export type StacklessBucket = 'beforeRecording' | 'noStack';

/** Where bytes go that no line owns. */
export type Bucket = 'library' | StacklessBucket;

/** The function of a line that holds memory without a stack, as Python writes names that are none. */
export const STACKLESS_FUNCTION = '<no stack>';

/** What finds the owners of memory. */
export interface OwnerSearch {
  readonly lookup: FileLookup;
  /** The line that the report gives lasting memory without a stack to, such as gradients that are kept; null for none. */
  readonly stacklessHolder: OwnerLine | null;
}

/** All buckets, in the order in which they are shown. */
export const BUCKETS: readonly Bucket[] = ['library', 'beforeRecording', 'noStack'];

/** Something for each bucket. */
export function eachBucket<Value>(make: () => Value): Record<Bucket, Value> {
  return { library: make(), beforeRecording: make(), noStack: make() };
}

export type Owner = { line: OwnerLine } | { bucket: Bucket };

/** The name under which lines of different snapshots are the same line. */
export function ownerKey(line: OwnerLine): string {
  return `${line.file}\n${line.line}\n${line.function}`;
}

/**
 * Finds the owner of a stack: its {@link ownerLineOf}, else a bucket.
 * @param frames innermost first
 * @param forward frames of the forward pass, innermost first
 * @param stackless the bucket for stacks without frames
 */
export function ownerOf(
  frames: readonly DigestFrame[],
  forward: readonly DigestFrame[],
  stackless: StacklessBucket,
  lookup: FileLookup,
): Owner {
  const line = ownerLineOf(frames, forward, lookup);
  if (line !== null) return { line };
  return { bucket: frames.length === 0 && forward.length === 0 ? stackless : 'library' };
}

/** The first frame of a stack in the workspace, else outside of libraries, else the same in the forward pass. */
export function ownerLineOf(
  frames: readonly DigestFrame[],
  forward: readonly DigestFrame[],
  lookup: FileLookup,
): OwnerLine | null {
  return ownerLine(frames, lookup) ?? ownerLine(forward, lookup);
}

/** Every user line of a stack, each once: the lines whose total the stack counts towards. */
export function userLines(
  frames: readonly DigestFrame[],
  forward: readonly DigestFrame[],
  lookup: FileLookup,
): OwnerLine[] {
  const lines = new Map<string, OwnerLine>();
  for (const frame of [...frames, ...forward]) {
    const line = userLine(frame, lookup);
    if (line !== null) lines.set(ownerKey(line), line);
  }
  return [...lines.values()];
}

function ownerLine(frames: readonly DigestFrame[], lookup: FileLookup): OwnerLine | null {
  let first: OwnerLine | null = null;
  for (const frame of frames) {
    const line = userLine(frame, lookup);
    if (line?.mapped === true) return line;
    first ??= line;
  }
  return first;
}

/**
 * The frame that allocates, if its file is the user's but not in the workspace, so that the owner line only calls it.
 */
export function unfoundInside(
  frames: readonly DigestFrame[],
  forward: readonly DigestFrame[],
  lookup: FileLookup,
): DigestFrame | null {
  for (const list of [frames, forward]) {
    const owner = list.findIndex(({ file }) => lookup(file) !== null);
    const inside = owner < 0 ? list : list.slice(0, owner);
    const first = inside.find(({ file }) => recordedKind(file) === 'user') ?? null;
    if (owner >= 0) return first;
    if (first !== null) return null;
  }
  return null;
}

/** A frame in workspace terms where the workspace knows the file, with the author of its code: such files are the user's. */
export function shownFrame(frame: DigestFrame, lookup: FileLookup): ShownFrame {
  const mapped = lookup(frame.file);
  const kind = mapped === null ? frameKind(frame.file) : 'user';
  return { kind, file: mapped ?? frame.file, line: frame.line, function: frame.function, mapped: mapped !== null };
}

/** The line of a frame if a user wrote it, in workspace terms where the workspace knows the file. */
export function userLine(frame: DigestFrame, lookup: FileLookup): OwnerLine | null {
  const mapped = lookup(frame.file);
  if (mapped !== null) return { file: mapped, line: frame.line, function: frame.function, mapped: true };
  if (frameKind(frame.file) !== 'user') return null;
  return { file: frame.file, line: frame.line, function: frame.function, mapped: false };
}
