/** Reads the recorder's sidecar as hostile input: each part of an unexpected type is left out. */
import * as v from 'valibot';
import { finite } from '../model/schema.js';
import { STEP_SOURCES, type Recording } from '../model/recording.js';
import { parseJson } from './json/parseJson.js';

/** Maximum number of entries in a list. */
const MAX_ENTRIES = 10_000;

/** Maximum number of loops around a step, which each line of a report is compared with. */
const MAX_LOOPS = 100;

/** The maximum number for one owner; the recorder writes fewer. */
const MAX_LENGTHS = 100;
const MAX_RELEASES = 100;
const MAX_OTHERS = 10;

/** Names of objects, kinds and paths: a longer one is stored as its beginning and end. */
const MAX_TEXT = 1000;

const text = v.pipe(
  v.string(),
  v.transform((all) => (all.length <= MAX_TEXT ? all : `${all.slice(0, MAX_TEXT / 2)}…${all.slice(1 - MAX_TEXT / 2)}`)),
);
const amount = v.pipe(finite, v.minValue(0));
const amountOrNull = v.fallback(v.nullable(amount), null);
const amountOrZero = v.fallback(amount, 0);

/** A list without the entries that do not fit the schema. */
function entriesOf<Entry>(schema: v.GenericSchema<unknown, Entry>, max = MAX_ENTRIES) {
  return v.pipe(
    v.array(v.unknown()),
    v.transform((all) =>
      all.slice(0, max).flatMap((entry) => {
        const { success, output } = v.safeParse(schema, entry);
        return success ? [output] : [];
      }),
    ),
  );
}

/** The entries that fit, none where there is no list. */
function list<Entry>(schema: v.GenericSchema<unknown, Entry>, max = MAX_ENTRIES) {
  return v.fallback(entriesOf(schema, max), []);
}

/** The valid entries, null without a list, or with a longer one. */
function listOrNull<Entry>(schema: v.GenericSchema<unknown, Entry>, longest = Infinity) {
  return v.fallback(v.nullable(v.pipe(v.array(v.unknown()), v.maxLength(longest), entriesOf(schema))), null);
}

const container = v.object({ type: text, length: amount, maxlen: amountOrNull });

const flag = v.fallback(v.boolean(), false);
const flagOrNull = v.fallback(v.nullable(v.boolean()), null);

/** The place of a statement, which the recorder does not always find. */
const placed = v.object({ file: v.fallback(v.nullable(text), null), line: amountOrNull });
const placeOf = ({ file, line }: v.InferOutput<typeof placed>) =>
  file === null || line === null ? null : { file, line };

const pin = v.pipe(
  v.object({ ...placed.entries, text: v.fallback(text, '') }),
  v.transform(({ text: what, ...at }) => ({ text: what, place: placeOf(at) })),
);

const custody = v.object({
  sinceStep: amount,
  searches: amount,
  heldBytes: amount,
  freedBytes: amount,
  movedBytes: amount,
  survivedBytes: amount,
  lengths: list(amount, MAX_LENGTHS),
});

const release = v.object({
  file: text,
  line: amount,
  function: v.fallback(text, ''),
  kind: text,
  where: text,
  isConditional: flag,
  value: amountOrNull,
  runs: amountOrNull,
  hasRun: flagOrNull,
});

const items = v.object({ kind: text, type: v.nullable(text) });

const owner = v.pipe(
  v.object({
    ...placed.entries,
    kind: v.fallback(text, ''),
    name: text,
    bytes: amountOrZero,
    graphBytes: amountOrZero,
    allocatedSteps: v.fallback(v.nullable(v.object({ first: amountOrZero, last: amountOrZero, steps: amount })), null),
    container: v.fallback(v.nullable(container), null),
    items: v.fallback(v.nullable(items), null),
    isDirect: v.fallback(v.boolean(), true),
    outlivesLoops: flag,
    staleKeys: amountOrNull,
    pinnedBy: v.fallback(v.nullable(pin), null),
    custody: v.fallback(v.nullable(custody), null),
    releases: listOrNull(release, MAX_RELEASES),
    also: list(
      v.pipe(
        v.object({ ...placed.entries, name: text }),
        v.transform(({ name, ...at }) => ({ name, place: placeOf(at) })),
      ),
      MAX_OTHERS,
    ),
    allocatedAt: list(v.object({ file: text, line: amount, bytes: amountOrZero })),
  }),
  v.transform(({ file, line, ...rest }) => ({ ...rest, place: placeOf({ file, line }) })),
);

const device = v.pipe(
  v.object({ index: amount, capacityBytes: amountOrNull, outsideBytes: amountOrZero }),
  v.transform(({ index, ...rest }) => ({ device: index, ...rest })),
);

const loop = v.object({
  file: text,
  line: amount,
  rounds: amountOrNull,
  isStepLoop: flag,
});

const source = v.pipe(
  v.object({ path: text, sha256: v.pipe(text, v.regex(/^[0-9a-f]{64}$/)) }),
  v.transform(({ path, sha256 }) => ({ file: path, sha256 })),
);

/** The recorder limits the number of steps. */
const NO_LIMIT = Infinity;
const stepTimes = v.object({ endedAtUs: list(amount, NO_LIMIT) });
const ring = v.object({ behindUs: list(amountOrNull) });
const collections = v.object({ beganAtUs: list(amountOrNull), endedAtUs: list(amountOrNull) });
const holders = v.object({
  owners: list(owner),
  complete: v.fallback(v.boolean(), true),
  graphNodes: amountOrNull,
  next: v.fallback(v.nullable(placed), null),
});
const process = v.object({ residentBytes: amountOrNull });
const git = v.object({ commit: v.pipe(text, v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)) });

const sidecar = v.object({
  /** The version of the format. Each version adds fields to the earlier one. */
  schema: v.picklist(['leakline.recording/1', 'leakline.recording/2', 'leakline.recording/3']),
  run: v.fallback(text, ''),
  rank: amountOrNull,
  worldSize: amountOrNull,
  kind: v.fallback(text, ''),
  reason: v.fallback(text, ''),
  step: amountOrNull,
  stepSource: v.fallback(v.nullable(v.picklist(STEP_SOURCES)), null),
  takenAtUs: amountOrNull,
  ring: v.fallback(v.nullable(ring), null),
  stepTimes: v.fallback(v.nullable(stepTimes), null),
  collections: v.fallback(v.nullable(collections), null),
  devices: list(device),
  process: v.fallback(v.nullable(process), null),
  holders: v.fallback(v.nullable(holders), null),
  atFailure: v.fallback(v.nullable(v.object({ owners: list(owner) })), null),
  loops: listOrNull(loop, MAX_LOOPS),
  releases: listOrNull(v.object({ file: text, line: amount, runs: amount })),
  sources: list(source),
  git: v.fallback(v.nullable(git), null),
});

/** @returns null if the text is not JSON, or too large */
function valueOf(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    return null;
  }
}

/** @returns null if the text is not a sidecar */
export function parseRecording(json: string): Recording | null {
  const { success, output } = v.safeParse(sidecar, valueOf(json));
  if (!success) return null;
  const { run, rank, worldSize, step, takenAtUs, devices, sources } = output;
  const { beganAtUs = [], endedAtUs = [] } = output.collections ?? {};
  return {
    ...{ run, rank, worldSize, step, takenAtUs, devices, sources },
    isLight: output.kind === 'light',
    isAtEnd: output.reason === 'exit',
    stepSource: output.stepSource,
    behindUs: output.ring?.behindUs ?? [],
    stepEndsUs: output.stepTimes?.endedAtUs ?? [],
    collections: beganAtUs.flatMap((fromUs, i) => {
      const toUs = endedAtUs[i] ?? null;
      return fromUs === null || toUs === null || toUs < fromUs ? [] : [{ fromUs, toUs }];
    }),
    residentBytes: output.process?.residentBytes ?? null,
    graphNodes: output.holders?.graphNodes ?? null,
    isSearchComplete: output.holders?.complete ?? true,
    owners: output.holders?.owners ?? [],
    atFailure: output.atFailure?.owners ?? [],
    nextPart: output.holders?.next == null ? null : placeOf(output.holders.next),
    chances: { loops: output.loops, releases: output.releases },
    commit: output.git?.commit ?? null,
  };
}

const placeOfProgram = v.object({
  process: v.fallback(v.object({ cwd: v.fallback(text, ''), main: v.fallback(v.nullable(text), null) }), {
    cwd: '',
    main: null,
  }),
  git: v.fallback(v.nullable(v.object({ root: v.fallback(text, '') })), null),
});

/**
 * The folders that may hold the project of a sidecar's program, the likeliest first: where it ran, and its repository.
 * @returns `main`: the path of its script, or null
 */
export function recordedFolders(json: string): { folders: string[]; main: string | null } {
  const { success, output } = v.safeParse(placeOfProgram, valueOf(json));
  if (!success) return { folders: [], main: null };
  const folders = [output.process.cwd, output.git?.root ?? ''].filter((folder) => folder !== '');
  return { folders, main: output.process.main };
}
