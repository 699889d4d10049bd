/** A snapshot as a list of named columns and facts for JSON: for another thread without a copy, or for a file. */
import type { EventTable, Snapshot } from './snapshot.js';
import { StringColumns } from './stringColumns.js';
import type { WholeNumbers } from './wholeNumbers.js';

export type Column = Uint8Array | Uint32Array | Int32Array | Float64Array;
export type ColumnType = 'u8' | 'u32' | 'i32' | 'f64';

/** Everything of a snapshot that is not a column. */
export type SnapshotFacts = Omit<Snapshot, TableName | 'strings'> & Pick<EventTable, 'originUs'>;

export interface PackedSnapshot {
  readonly facts: SnapshotFacts;
  /** Columns by table and name, such as `events.action`, without those that the snapshot does not have. */
  readonly columns: Readonly<Record<string, Column>>;
}

type TableName = 'frames' | 'stacks' | 'events' | 'segmentEvents' | 'failures' | 'segments' | 'blocks' | 'annotations';
type Tables = Pick<Snapshot, TableName>;

type TypeOf<C> = C extends Uint8Array
  ? 'u8'
  : C extends Uint32Array
    ? 'u32'
    : C extends Int32Array
      ? 'i32'
      : C extends Float64Array
        ? 'f64'
        : never;

/** `?`: may be absent. `+1`: one entry more than the table has rows. `*`: a length of its own. `n`: see `WholeNumbers`. */
type Spec<C> = [WholeNumbers] extends [C] ? 'n' : PlainSpec<C>;
type PlainSpec<C> = null extends C ? `${TypeOf<NonNullable<C>>}?` : TypeOf<C> | `${TypeOf<C>}+1` | `${TypeOf<C>}*`;
type AnySpec = `${ColumnType}${'' | '?' | '+1' | '*'}` | 'n';

/** Every column of every table: one that is forgotten here does not compile. */
const LAYOUT: {
  readonly [T in TableName]: { readonly [C in Exclude<keyof Tables[T], 'count' | 'originUs'>]: Spec<Tables[T][C]> };
} = {
  frames: { name: 'u32', file: 'u32', line: 'i32' },
  stacks: { offset: 'u32+1', frames: 'u32*' },
  events: {
    action: 'u8',
    addrLow: 'u32',
    addrHigh: 'u32',
    size: 'n',
    sinceUs: 'n',
    stack: 'u32',
    forwardStack: 'u32?',
    category: 'u32?',
    metadata: 'u32?',
    compileContext: 'u32?',
  },
  segmentEvents: { event: 'u32', stream: 'u32' },
  failures: { event: 'u32', deviceFree: 'f64' },
  segments: {
    device: 'i32',
    addrLow: 'u32',
    addrHigh: 'u32',
    totalSize: 'f64',
    stream: 'u32',
    isSmall: 'u8',
    isExpandable: 'u8',
    pool: 'u32',
    stack: 'u32',
    firstBlock: 'u32+1',
  },
  blocks: {
    segment: 'u32',
    addrLow: 'u32',
    addrHigh: 'u32',
    size: 'f64',
    requestedSize: 'f64',
    state: 'u8',
    stack: 'u32',
    allocEvent: 'u32',
    category: 'u32?',
  },
  annotations: { name: 'u32', isStart: 'u8', device: 'i32', timeUs: 'f64' },
};

const TEXT_BYTES = 'strings.bytes';
const TEXT_ENDS = 'strings.ends';

/** The columns and facts of a snapshot. Copies nothing. */
export function packSnapshot(snapshot: Snapshot): PackedSnapshot {
  const { strings, frames, stacks, events, segmentEvents, failures, segments, blocks, annotations, ...facts } =
    snapshot;
  const tables: Tables = { frames, stacks, events, segmentEvents, failures, segments, blocks, annotations };
  const { bytes, ends } = strings.utf8();
  const columns: Record<string, Column> = { [TEXT_BYTES]: bytes, [TEXT_ENDS]: ends };
  for (const { table, column } of layout()) {
    const values = (tables[table] as unknown as Record<string, Column | null>)[column];
    if (values !== null) columns[`${table}.${column}`] = values;
  }
  return { facts: { ...facts, originUs: events.originUs }, columns };
}

/**
 * The packed snapshot, without a copy. `checkSnapshot` checks the values.
 * @throws RangeError if a column is missing, or has another type or length
 */
export function unpackSnapshot({ facts: { originUs, ...facts }, columns }: PackedSnapshot): Snapshot {
  const tables: Partial<Record<TableName, Record<string, unknown>>> = {};
  for (const { table, column, spec } of layout()) {
    const name = `${table}.${column}`;
    const values = columnOf(columns, name, spec);
    const rows = (tables[table] ??= { count: rowsOf(values, spec) });
    if (values !== null && !spec.endsWith('*') && rowsOf(values, spec) !== rows['count']) {
      throw new RangeError(`${name} has ${values.length} entries in a table of ${String(rows['count'])} rows`);
    }
    rows[column] = values;
  }
  const bytes = columnOf(columns, TEXT_BYTES, 'u8*') as Uint8Array;
  const ends = columnOf(columns, TEXT_ENDS, 'u32*') as Uint32Array;
  const { events, ...others } = tables as unknown as Tables;
  return { ...facts, strings: new StringColumns(bytes, ends), ...others, events: { ...events, originUs } };
}

/** The type of the column. */
export function columnType(column: Column): ColumnType {
  if (column instanceof Uint8Array) return 'u8';
  if (column instanceof Uint32Array) return 'u32';
  return column instanceof Int32Array ? 'i32' : 'f64';
}

function* layout(): Generator<{ table: TableName; column: string; spec: AnySpec }> {
  for (const [table, columns] of Object.entries(LAYOUT)) {
    for (const [column, spec] of Object.entries(columns)) yield { table: table as TableName, column, spec };
  }
}

function columnOf(columns: PackedSnapshot['columns'], name: string, spec: AnySpec): Column | null {
  if (!Object.hasOwn(columns, name)) {
    if (spec.endsWith('?')) return null;
    throw new RangeError(`${name} is missing`);
  }
  const type = columnType(columns[name]);
  if (spec === 'n' ? type !== 'u32' && type !== 'f64' : !spec.startsWith(type))
    throw new RangeError(`${name} has another type`);
  return columns[name];
}

/** Rows of a table by its first column, which is always there. */
function rowsOf(values: Column | null, spec: AnySpec): number {
  return (values?.length ?? 0) - (spec.endsWith('+1') ? 1 : 0);
}
