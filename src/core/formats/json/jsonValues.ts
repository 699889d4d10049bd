import { StringPool } from '../../model/stringPool.js';
import { Kind } from '../../pickle/values.js';
import type { JsonHandler, NumberKind } from './jsonMachine.js';

/** A value of JSON. Whole numbers beyond 2^53 are bigints; objects have no prototype. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maximum number of texts that are known by their bytes at once. */
const MAX_TEXTS = 1 << 16;

const float = new DataView(new ArrayBuffer(8));

/** The number behind a kind and its bits, exact. */
function exactNumber(kind: NumberKind, low: number, high: number): number | bigint {
  if (kind === Kind.Float) {
    float.setUint32(0, low, true);
    float.setUint32(4, high, true);
    return float.getFloat64(0, true);
  }
  const rounded = (kind === Kind.Int ? high | 0 : high) * 4294967296 + low;
  if (Number.isSafeInteger(rounded)) return rounded;
  const bits = (BigInt(high) << 32n) | BigInt(low);
  return kind === Kind.Int ? BigInt.asIntN(64, bits) : bits;
}

/**
 * Builds the values at one depth of a JSON text, and forgets each after use: for lists of millions of small objects.
 */
export class JsonElements implements JsonHandler {
  private strings = new StringPool();
  private readonly containers: (JsonValue[] | JsonObject)[] = [];
  private readonly keys: string[] = [];
  private depth = 0;
  private elementDepth: number;

  /**
   * @param elements depth: 0 for top values, 1 for items of a top list, 2 for items of lists in a top object; `items`
   *   for both
   * @param onElement gets the key of the list in the top object, empty without one
   * @param wanted false for keys whose values are skipped
   */
  constructor(
    private readonly elements: number | 'items',
    private readonly onElement: (value: JsonValue, list: string) => void,
    private readonly wanted: (key: string) => boolean = () => true,
  ) {
    this.elementDepth = elements === 'items' ? 0 : elements;
  }

  begin(isObject: boolean): void {
    if (this.elements === 'items' && this.depth === 0) this.elementDepth = isObject ? 0 : 1;
    this.depth++;
    if (this.depth > this.elementDepth) this.containers.push(isObject ? (Object.create(null) as JsonObject) : []);
    this.keys[this.depth] = '';
  }

  end(): void {
    this.depth--;
    if (this.depth < this.elementDepth) return;
    const container = this.containers.pop();
    if (container !== undefined) this.add(container);
  }

  key(bytes: Uint8Array, from: number, to: number): void {
    this.keys[this.depth] = this.textOf(bytes, from, to);
  }

  text(bytes: Uint8Array, from: number, to: number): void {
    if (this.isKept()) this.add(this.textOf(bytes, from, to));
  }

  number(kind: NumberKind, low: number, high: number): void {
    if (this.isKept()) this.add(exactNumber(kind, low, high));
  }

  literal(value: boolean | null): void {
    this.add(value);
  }

  /** A known string costs no memory. Of strings that all differ, such as times, few are stored. */
  private textOf(bytes: Uint8Array, from: number, to: number): string {
    if (this.strings.count > MAX_TEXTS) this.strings = new StringPool();
    return this.strings.text(this.strings.intern(bytes, from, to));
  }

  /** Whether the next value is one to build. */
  private isKept(): boolean {
    const parent = this.containers.at(-1);
    if (parent === undefined) return this.depth <= this.elementDepth;
    return Array.isArray(parent) || this.wanted(this.keys[this.depth] ?? '');
  }

  private add(value: JsonValue): void {
    const parent = this.containers.at(-1);
    if (parent === undefined) {
      if (this.depth === this.elementDepth) this.onElement(value, this.keys[1] ?? '');
      else if (this.depth < this.elementDepth) this.onElement(value, this.keys[this.depth] ?? '');
      return;
    }
    if (Array.isArray(parent)) parent.push(value);
    else if (this.wanted(this.keys[this.depth] ?? '')) parent[this.keys[this.depth] ?? ''] = value;
  }
}
