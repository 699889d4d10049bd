/** Names of sidecars. */

const SUFFIX = '.leakline.json';

/** The paths of the recorder's files for a snapshot. */
export function recordingPath(snapshot: string): string {
  return snapshot.replace(/\.pickle(?:\.gz)?$/i, '') + SUFFIX;
}

/** The snapshots, there or not, that a file is the sidecar of; none of other files. */
export function recordedBeside(path: string): string[] {
  const name = /(?:.*[/\\])?(.*)$/s.exec(path)?.[1] ?? '';
  if (!name.endsWith(SUFFIX) || name === SUFFIX) return [];
  const stem = path.slice(0, -SUFFIX.length);
  return [`${stem}.pickle`, `${stem}.pickle.gz`, stem];
}
