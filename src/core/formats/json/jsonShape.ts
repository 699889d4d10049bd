import { SnapshotError } from '../../bytes/snapshotError.js';
import { JsonMachine, type JsonHandler } from './jsonMachine.js';

/** The content of a JSON text, by its beginning. */
export type JsonShape =
  | 'snapshot'
  | 'chromeTrace'
  | 'chromeEvents'
  | 'memoryTimeline'
  | 'rawTimeline'
  | 'memoryStats'
  | 'unknown';

const SNAPSHOT_KEYS = ['segments', 'device_traces'];
const SEGMENT_KEYS = ['total_size', 'segment_type', 'blocks'];
const CHROME_KEYS = ['traceEvents', 'baseTimeNanoseconds', 'deviceProperties', 'displayTimeUnit'];
const STATS_KEY = /^(?:allocated_bytes|reserved_bytes|active_bytes|allocation)(?:\.(?:all|large_pool|small_pool)\.|$)/;
/** `[time, action, bytes, category]`. */
const RAW_EVENT = 4;

/** Notes the first keys and how the first lists are nested. */
class ShapeWitness implements JsonHandler {
  topIsArray = false;
  readonly topKeys = new Set<string>();
  /** Keys of the objects in the top list. */
  readonly itemKeys = new Set<string>();
  hasStats = false;
  /** Numbers directly in the first and second list in the top list; and whether they hold lists. */
  readonly numbers = [0, 0];
  readonly hasLists = [false, false];
  /** Lists met in the top list. */
  lists = 0;

  /** Whether each open container is an array, outermost first. */
  private readonly arrays: boolean[] = [];
  private readonly decoder = new TextDecoder();

  begin(isObject: boolean): void {
    const { arrays } = this;
    if (arrays.length === 0) this.topIsArray = !isObject;
    if (!isObject && arrays.length === 1 && this.topIsArray) this.lists++;
    if (!isObject && arrays.length === 2 && this.lists > 0 && this.lists <= 2) this.hasLists[this.lists - 1] = true;
    arrays.push(!isObject);
  }

  end(): void {
    this.arrays.pop();
  }

  key(bytes: Uint8Array, from: number, to: number): void {
    const key = this.decoder.decode(bytes.subarray(from, to));
    if (this.arrays.length === 1) this.topKeys.add(key);
    if (this.arrays.length === 2 && this.topIsArray) this.itemKeys.add(key);
    this.hasStats ||= STATS_KEY.test(key);
  }

  text(): void {
    // Only keys decide.
  }

  number(): void {
    if (this.arrays.length === 2 && this.arrays[1] && this.lists > 0 && this.lists <= 2) this.numbers[this.lists - 1]++;
  }

  literal(): void {
    // Only keys decide.
  }
}

/** Finds the content of a JSON text by its first bytes, without a byte order mark. */
export function jsonShape(head: Uint8Array): JsonShape {
  const witness = new ShapeWitness();
  try {
    new JsonMachine(witness, '', true).run(head, 0, head.length, 0, false);
  } catch (error) {
    // Damage further down is for the reader to report, with its place.
    if (!SnapshotError.is(error)) throw error;
  }
  const { topKeys, itemKeys } = witness;
  if (SNAPSHOT_KEYS.some((key) => topKeys.has(key)) || SEGMENT_KEYS.some((key) => itemKeys.has(key))) return 'snapshot';
  if (CHROME_KEYS.some((key) => topKeys.has(key))) return 'chromeTrace';
  if (itemKeys.has('ph') && itemKeys.has('name')) return 'chromeEvents';
  if (witness.hasStats) return 'memoryStats';
  if (!witness.topIsArray || witness.lists === 0) return 'unknown';
  const [first, second] = witness.numbers;
  if (witness.hasLists[1] || first > RAW_EVENT) return 'memoryTimeline';
  if (first === RAW_EVENT && (witness.lists === 1 || second > 0)) return 'rawTimeline';
  return witness.lists === 2 && first === 0 && second === 0 ? 'memoryTimeline' : 'unknown';
}
