import { stat } from 'node:fs/promises';
import { parseRecording } from '../core/formats/recordingSidecar.js';
import type { Recording } from '../core/model/recording.js';
import { readSmallFile, sameFile, stateOf, type FileState } from './fileSource.js';
import { recordingPath } from './recordingPath.js';

/** A sidecar is some kilobytes; with source texts some hundreds. */
const MAX_BYTES = 32 << 20;

/** The text of a snapshot's sidecar, or null. */
export async function readSidecar(snapshot: string): Promise<string | null> {
  try {
    return (await readSmallFile(recordingPath(snapshot), MAX_BYTES)).bytes.toString();
  } catch {
    return null;
  }
}

/** Reads the sidecar of a snapshot. A snapshot without one, or with an unreadable one, is as good as any: null. */
export async function readRecording(snapshot: string): Promise<Recording | null> {
  const text = await readSidecar(snapshot);
  return text === null ? null : parseRecording(text);
}

/** Facts that identify the state of a sidecar; null without one. */
export async function sidecarState(snapshot: string): Promise<FileState | null> {
  try {
    return stateOf(await stat(recordingPath(snapshot)));
  } catch {
    return null;
  }
}

/** True if both are of the same sidecar, or there is none. */
export function sameSidecar(a: FileState | null, b: FileState | null): boolean {
  return a === null || b === null ? a === b : sameFile(a, b);
}
