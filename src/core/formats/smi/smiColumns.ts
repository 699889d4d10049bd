/** The places of columns among the fields of a line, -1 if missing. */
export interface SmiColumns {
  readonly count: number;
  readonly time: number;
  readonly index: number;
  readonly pid: number;
  /** The name of a process, which may have commas in it. */
  readonly process: number;
  /** Other fields that identify a device: `uuid`, `gpu_bus_id`. */
  readonly gpu: number;
  readonly used: number;
  readonly total: number;
}

const NONE: SmiColumns = { count: 0, time: -1, index: -1, pid: -1, process: -1, gpu: -1, used: -1, total: -1 };

const SIZE = /^(\d{1,15}(?:\.\d{1,3})?) (B|[KMGT]i?B)$/;
const WHOLE = /^\d{1,15}$/;
/** A time as nvidia-smi writes it, or in ISO 8601, as `date` and loggers write it before the fields. */
const TIME =
  /^(\d{4})[/-](\d\d)[/-](\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6})\d{0,3})?(?:(Z)|([+-])(\d\d):?(\d\d))?$/;
/** Prefixes of services and loggers: `trainer-1 | `, `# `, `[rank0] `, a time. */
const PREFIX =
  /^(?:[\w.@-]{1,64}[ \t]{0,16}\|[ \t]+|#[ \t]*|\[[^\],]{1,64}\][ \t]+|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?[ \t]+(?=[^,\s]))/;
const MAX_PREFIXES = 3;
const MIB = 1 << 20;
/** More devices than any machine has: a larger number is not an index. */
const MAX_DEVICES = 64;

const NAMES: Readonly<Record<string, keyof Omit<SmiColumns, 'count'>>> = {
  timestamp: 'time',
  index: 'index',
  gpu_index: 'index',
  pid: 'pid',
  process_name: 'process',
  name: 'process',
  uuid: 'gpu',
  gpu_uuid: 'gpu',
  'pci.bus_id': 'gpu',
  gpu_bus_id: 'gpu',
  'memory.used': 'used',
  used_gpu_memory: 'used',
  used_memory: 'used',
  'memory.total': 'total',
};

/** The fields of a line behind a log's prefix; the names of devices and processes are not quoted. */
export function smiFields(line: string): string[] {
  let rest = line.trimStart();
  for (let i = 0; i < MAX_PREFIXES; i++) rest = rest.replace(PREFIX, '');
  return rest.split(',').map((field) => field.trim());
}

/** The columns in a header, null for other lines than the header of a table of used memory. */
export function headerColumns(fields: readonly string[]): SmiColumns | null {
  const columns = { ...NONE, count: fields.length };
  fields.forEach((field, i) => {
    const name = field.replace(/ \[[^\]]*\]$/, '');
    if (!Object.hasOwn(NAMES, name)) return;
    const column = NAMES[name];
    if (columns[column] === -1) columns[column] = i;
  });
  return columns.used === -1 ? null : columns;
}

/**
 * The columns of a table without a header, from its first line: time and sizes, or process and size. Null if unclear.
 */
export function guessedColumns(fields: readonly string[]): SmiColumns | null {
  const columns = { ...NONE, count: fields.length };
  const sizes = placesOf(fields, (field) => SIZE.test(field));
  const numbers = placesOf(fields, (field) => WHOLE.test(field));
  columns.time = fields.findIndex((field) => TIME.test(field));
  const hasTime = columns.time >= 0;
  if (sizes.length > 0) {
    if (sizes.length > 2) return null;
    const before = numbers.filter((place) => place < sizes[0]);
    if (before.length > 1) return null;
    const place = before.at(0) ?? -1;
    const isIndex = place >= 0 && Number(fields[place]) < MAX_DEVICES;
    if (place >= 0 && !isIndex && sizes.length === 1) {
      columns.pid = place;
      if (sizes[0] === place + 2) columns.process = place + 1;
    } else if (isIndex) columns.index = place;
    else if (!hasTime) return null;
    [columns.used, columns.total] = inOrder(fields, sizes);
    return columns;
  }
  // Without units, only the documented order is possible: a time, a device, and one or two amounts.
  if (!hasTime || fields.length !== numbers.length + 1 || numbers.length < 2 || numbers.length > 3) return null;
  if (Number(fields[numbers[0]]) >= MAX_DEVICES) return null;
  columns.index = numbers[0];
  [columns.used, columns.total] = inOrder(fields, numbers.slice(1));
  return columns;
}

/** The places of used and total memory: total is never less. */
function inOrder(fields: readonly string[], places: readonly number[]): [used: number, total: number] {
  if (places.length === 1) return [places[0], -1];
  const [a, b] = places;
  return smiBytes(fields[a]) > smiBytes(fields[b]) ? [b, a] : [a, b];
}

/** Bytes of a field, with its unit or (`nounits`) without; NaN for `[N/A]` and whatever else is not an amount. */
export function smiBytes(field: string): number {
  const size = SIZE.exec(field);
  if (size === null) return WHOLE.test(field) ? Number(field) * MIB : Number.NaN;
  return Number(size[1]) * 1024 ** 'BKMGT'.indexOf(size[2][0]);
}

/** Microseconds since the epoch, with local time read as UTC; NaN for other fields. */
export function smiTime(field: string): number {
  const match = TIME.exec(field);
  if (match === null) return Number.NaN;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const [, , , , , , , fraction = '', , sign, hours = '0', minutes = '0'] = match as (string | undefined)[];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return Date.UTC(year, month - 1, day, hour, minute - offset, second) * 1000 + Number(fraction.padEnd(6, '0'));
}

/** True if the field is a time with a zone. */
export function hasZone(field: string): boolean {
  const match = TIME.exec(field) as (string | undefined)[] | null;
  return match !== null && (match[8] !== undefined || match[9] !== undefined);
}

function placesOf(fields: readonly string[], wanted: (field: string) => boolean): number[] {
  return fields.flatMap((field, i) => (wanted(field) ? [i] : []));
}
