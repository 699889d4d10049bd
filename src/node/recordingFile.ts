import { readFile, stat } from 'node:fs/promises';
import { parseRecording } from '../core/formats/recordingSidecar.js';
import type { Recording } from '../core/model/recording.js';

/** A sidecar is some kilobytes; with source texts some hundreds. */
const MOST_BYTES = 32 << 20;

/** Where the recorder writes what belongs to a snapshot. */
export function recordingPath(snapshot: string): string {
  return snapshot.replace(/\.pickle$/i, '') + '.leakline.json';
}

/** Reads the sidecar of a snapshot. A snapshot without one, or with an unreadable one, is as good as any: null. */
export async function readRecording(snapshot: string): Promise<Recording | null> {
  const path = recordingPath(snapshot);
  try {
    const facts = await stat(path);
    if (!facts.isFile() || facts.size > MOST_BYTES) return null;
    return parseRecording(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}
