import type {
  Collection,
  GrownContainer,
  RecordedContainer,
  RecordedDevice,
  RecordedLoop,
  RecordedOwner,
  RecordedRelease,
  RecordedSource,
  Recording,
} from '../model/recording.js';

/** The second adds fields to the first. */
const SCHEMAS = ['leakline.recording/1', 'leakline.recording/2'];
/** Owners and lines beyond these numbers are not looked at. */
const MOST_ENTRIES = 10_000;

/**
 * Reads the recorder's sidecar. Like every input it is hostile: what has another shape than expected is left out.
 * @returns null if the text is not a sidecar
 */
export function parseRecording(text: string): Recording | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || !SCHEMAS.some((schema) => value['schema'] === schema)) return null;
  const times = isRecord(value['stepTimes']) ? value['stepTimes'] : {};
  const holders = isRecord(value['holders']) ? value['holders'] : {};
  return {
    run: textOf(value['run']) ?? '',
    rank: numberOf(value['rank']),
    worldSize: numberOf(value['worldSize']),
    isLight: value['kind'] === 'light',
    step: numberOf(value['step']),
    takenAtUs: numberOf(value['takenAtUs']),
    behindUs: isRecord(value['ring']) ? listOf(value['ring']['behindUs']).slice(0, MOST_ENTRIES).map(numberOf) : [],
    stepEndsUs: listOf(times['endedAtUs']).filter((time) => typeof time === 'number'),
    collections: collectionsOf(value['collections']),
    devices: listOf(value['devices']).flatMap(deviceOf),
    owners: listOf(holders['owners']).slice(0, MOST_ENTRIES).flatMap(ownerOf),
    chances: {
      loops: entriesOf(value['loops'], loopOf),
      releases: entriesOf(value['releases'], releaseOf),
      containers: entriesOf(value['containers'], grownOf),
      fullCollections: isRecord(value['collections']) ? numberOf(value['collections']['full']) : null,
    },
    sources: listOf(value['sources']).slice(0, MOST_ENTRIES).flatMap(sourceOf),
    commit: hashOf(isRecord(value['git']) ? value['git']['commit'] : null, COMMIT),
  };
}

function collectionsOf(value: unknown): Collection[] {
  if (!isRecord(value)) return [];
  const ends = listOf(value['endedAtUs']);
  return listOf(value['beganAtUs'])
    .slice(0, MOST_ENTRIES)
    .flatMap((began, i) => {
      const [fromUs, toUs] = [numberOf(began), numberOf(ends[i])];
      return fromUs === null || toUs === null || toUs < fromUs ? [] : [{ fromUs, toUs }];
    });
}

function deviceOf(value: unknown): RecordedDevice[] {
  const device = isRecord(value) ? numberOf(value['index']) : null;
  if (!isRecord(value) || device === null) return [];
  return [
    {
      device,
      capacityBytes: numberOf(value['capacityBytes']),
      outsideBytes: numberOf(value['outsideBytes']) ?? 0,
    },
  ];
}

function ownerOf(value: unknown): RecordedOwner[] {
  if (!isRecord(value)) return [];
  const name = textOf(value['name']) ?? textOf(value['text']);
  const file = textOf(value['file']);
  const line = numberOf(value['line']);
  if (name === null || file === null || line === null) return [];
  return [
    {
      kind: textOf(value['kind']) ?? '',
      name,
      file,
      line,
      bytes: numberOf(value['bytes']) ?? 0,
      graphBytes: numberOf(value['graphBytes']) ?? 0,
      allocatedSteps: isRecord(value['allocatedSteps']) ? numberOf(value['allocatedSteps']['steps']) : null,
      container: containerOf(value['container']),
      allocatedAt: listOf(value['allocatedAt'])
        .slice(0, MOST_ENTRIES)
        .flatMap((site) => {
          const at = isRecord(site) ? { file: textOf(site['file']), line: numberOf(site['line']) } : null;
          if (!isRecord(site) || at?.file == null || at.line === null) return [];
          return [{ file: at.file, line: at.line, bytes: numberOf(site['bytes']) ?? 0 }];
        }),
    },
  ];
}

function containerOf(value: unknown): RecordedContainer | null {
  const type = isRecord(value) ? textOf(value['type']) : null;
  const length = isRecord(value) ? numberOf(value['length']) : null;
  if (!isRecord(value) || type === null || length === null) return null;
  return { type, length, maxlen: numberOf(value['maxlen']) };
}

/** Null where nothing is told. */
function entriesOf<Entry>(value: unknown, read: (entry: unknown) => Entry[]): Entry[] | null {
  return Array.isArray(value) ? (value as unknown[]).slice(0, MOST_ENTRIES).flatMap(read) : null;
}

function loopOf(value: unknown): RecordedLoop[] {
  if (!isRecord(value)) return [];
  const { file, function: name } = value;
  const [line, lastLine] = [numberOf(value['line']), numberOf(value['lastLine'])];
  if (typeof file !== 'string' || typeof name !== 'string' || line === null || lastLine === null) return [];
  return [
    {
      file,
      function: name,
      line,
      lastLine,
      rounds: numberOf(value['rounds']),
      isStepLoop: value['isStepLoop'] === true,
    },
  ];
}

function releaseOf(value: unknown): RecordedRelease[] {
  if (!isRecord(value)) return [];
  const [line, runs] = [numberOf(value['line']), numberOf(value['runs'])];
  const file = textOf(value['file']);
  return file === null || line === null || runs === null ? [] : [{ file, line, runs }];
}

function grownOf(value: unknown): GrownContainer[] {
  if (!isRecord(value)) return [];
  const [line, length, previousLength] = [value['line'], value['length'], value['previousLength']].map(numberOf);
  const [root, name, file, kind] = [value['root'], value['name'], value['file'], value['kind']].map(textOf);
  if (line === null || length === null || previousLength === null) return [];
  if (root === null || name === null || file === null || kind === null) return [];
  const [bound, bytes] = [numberOf(value['bound']), numberOf(value['bytes']) ?? 0];
  return [{ root, name, file, line, kind, length, previousLength, bound, bytes }];
}

function sourceOf(value: unknown): RecordedSource[] {
  const file = isRecord(value) ? textOf(value['path']) : null;
  const sha256 = isRecord(value) ? hashOf(value['sha256'], SHA256) : null;
  return file === null || sha256 === null ? [] : [{ file, sha256 }];
}

const SHA256 = /^[0-9a-f]{64}$/;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function hashOf(value: unknown, shape: RegExp): string | null {
  return typeof value === 'string' && shape.test(value) ? value : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A finite number that is not negative. */
function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
