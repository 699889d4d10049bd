import { SnapshotError } from '../../bytes/snapshotError.js';
import type { SettingValue } from '../../model/snapshot.js';
import type { StringPool } from '../../model/stringPool.js';
import type { StackId, StringId } from '../../model/units.js';
import { Kind, makeRef, PAYLOAD_BITS, PAYLOAD_MASK, type Ref, type ValueStack } from '../../pickle/values.js';
import { Torch, tooManyMentions, tooManyObjects } from './torchValue.js';
import { t } from '../../text/translate.js';

/** A dictionary or list that is neither frame, event, block nor list of frames. */
export type TorchObject =
  | { type: 'events'; first: number; count: number }
  | { type: 'blocks'; first: number; count: number }
  | { type: 'segment'; segment: number }
  /** One life of a block, in releases before 2.1; `requested` is null if unknown. */
  | { type: 'history'; capture: number; stack: StackId; requested: number | null }
  | { type: 'list'; items: Ref[]; readAs?: { items: number; stack: StackId } }
  | { type: 'dict'; entries: Map<string, SettingValue | TorchObject> };

/** Maximum number of objects, 250 bytes each: settings, segments, traces. Events and blocks do not count. */
const MAX_OBJECTS = 1 << 21;
/** Maximum number of items of one list, or entries of one dictionary. */
const MAX_ITEMS = 1 << 22;
/** A valid file needs one look at each entry and item. Maximum number of looks per entry, and of further looks. */
const MAX_LOOKS = 4;
const FREE_LOOKS = 10_000;
/** Maximum depth of nested dictionaries. */
const MAX_DEPTH = 100;

/** The few containers that become objects, by the payload of their value. */
export class TorchObjects {
  private readonly objects: TorchObject[] = [];
  /** Entries and items that objects were given, and that were looked at. */
  private held = 0;
  private looks = 0;

  constructor(
    private readonly strings: StringPool,
    private readonly name: string,
  ) {}

  get(ref: Ref): TorchObject | undefined {
    return ref >>> PAYLOAD_BITS === Torch.Object ? this.objects[ref & PAYLOAD_MASK] : undefined;
  }

  add(object: TorchObject): Ref {
    if (this.objects.length >= MAX_OBJECTS) throw tooManyObjects(this.name);
    this.objects.push(object);
    return makeRef(Torch.Object, this.objects.length - 1);
  }

  /** The strings of a list. @throws SnapshotError `limit` if the same lists are requested repeatedly */
  texts(list: Ref): StringId[] {
    const object = this.get(list);
    if (object?.type !== 'list') return [];
    this.lookAt(object.items.length, 'list');
    return object.items.filter((item) => item >>> PAYLOAD_BITS === Kind.Text).map((item) => item & PAYLOAD_MASK);
  }

  /** Adds to a dictionary that is none of those with columns. Keys that are not texts are passed over. */
  setEntries(dict: Ref, stack: ValueStack, from: number, to: number): Ref {
    const { ref } = stack;
    this.held += (to - from) / 2;
    const known = this.get(dict);
    const entries = known?.type === 'dict' ? known.entries : new Map<string, SettingValue | TorchObject>();
    for (let i = from; i < to; i += 2) {
      if (ref[i] >>> PAYLOAD_BITS !== Kind.Text) continue;
      entries.set(this.strings.text(ref[i] & PAYLOAD_MASK), this.plain(stack, i + 1));
    }
    if (entries.size > MAX_ITEMS) throw tooManyObjects(this.name);
    return known?.type === 'dict' ? dict : this.add({ type: 'dict', entries });
  }

  /** Adds events or blocks to a list: while they are consecutive, the list is a range of their columns. */
  appendRange(type: 'events' | 'blocks', list: Ref, ref: Int32Array, from: number, to: number): Ref {
    const known = this.get(list);
    const first = ref[from] & PAYLOAD_MASK;
    const start = known?.type === type ? known.first + known.count : first;
    for (let i = from; i < to; i++) {
      if ((ref[i] & PAYLOAD_MASK) !== start + i - from) return this.append(list, ref, from, to);
    }
    if (known?.type === type) {
      known.count += to - from;
      return list;
    }
    if (list >>> PAYLOAD_BITS !== Kind.EmptyList) return this.append(list, ref, from, to);
    return this.add({ type, first, count: to - from });
  }

  /** Adds events to the list of them that ends before `end`. */
  extendEvents(end: number, count: number): void {
    const list = this.objects.findLast((object) => object.type === 'events' && object.first + object.count === end);
    if (list?.type === 'events') list.count += count;
  }

  /** Adds to a list of anything. @throws SnapshotError `notASnapshot` if it holds events, blocks or frames */
  append(list: Ref, ref: Int32Array, from: number, to: number): Ref {
    const known = this.get(list);
    const existing = known?.type === 'list' ? known : null;
    if (existing === null && list >>> PAYLOAD_BITS !== Kind.EmptyList) {
      throw new SnapshotError(
        'notASnapshot',
        t(
          '{0} mixes different kinds of items in one list of its traces or blocks. Dump the snapshot again.',
          this.name,
        ),
      );
    }
    this.held += to - from;
    const items = existing?.items ?? [];
    const length = items.length + to - from;
    if (length > MAX_ITEMS) throw tooManyObjects(this.name);
    for (let i = from; i < to; i++) items.push(ref[i]);
    return existing === null ? this.add({ type: 'list', items }) : list;
  }

  /** The settings of a dictionary. @throws SnapshotError `limit` if it contains itself, or equal ones repeatedly */
  settings(dict: TorchObject & { type: 'dict' }, depth = 0): { readonly [key: string]: SettingValue } {
    this.lookAt(dict.entries.size, 'dictionary');
    if (depth === MAX_DEPTH) throw tooManyMentions(this.name, 'dictionary');
    const settings: [string, SettingValue][] = [];
    for (const [key, value] of dict.entries) {
      if (!isTorchObject(value)) settings.push([key, value]);
      else if (value.type === 'dict') settings.push([key, this.settings(value, depth + 1)]);
    }
    return Object.fromEntries(settings);
  }

  private lookAt(entries: number, what: 'list' | 'dictionary'): void {
    this.looks += entries;
    if (this.looks > MAX_LOOKS * this.held + FREE_LOOKS) throw tooManyMentions(this.name, what);
  }

  private plain(stack: ValueStack, at: number): SettingValue | TorchObject {
    const payload = stack.payload(at);
    switch (stack.kind(at)) {
      case Kind.Bool:
        return payload === 1;
      case Kind.Int:
      case Kind.Uint:
      case Kind.Float:
      case Kind.BoxedNumber:
        return stack.number(at);
      case Kind.Text:
        return this.strings.text(payload);
      case Kind.EmptyList:
        return { type: 'list', items: [] };
      case Torch.Object:
        return this.objects[payload];
      default:
        return null;
    }
  }
}

export function isTorchObject(value: SettingValue | TorchObject | undefined): value is TorchObject {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
