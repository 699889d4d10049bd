import * as v from 'valibot';
import { count, finite as finiteNumber } from './schema.js';
import { Action, BlockState, EMPTY_STACK, NO_INDEX, type Snapshot } from './snapshot.js';
import type { WholeNumbers } from './wholeNumbers.js';

/**
 * Checks the indices and numbers of a stored snapshot: no column leads out of its table, and no total is infinite.
 * @throws RangeError that names the column
 */
export function checkSnapshot(snapshot: Snapshot): void {
  const { frames, stacks, events, segmentEvents, failures, segments, blocks, annotations } = snapshot;
  checkFacts(snapshot);
  checkStrings(snapshot);
  const texts = snapshot.strings.count;
  below('frames.name', frames.name, texts);
  below('frames.file', frames.file, texts);
  if (stacks.count <= EMPTY_STACK) throw new RangeError('stacks lacks its first rows');
  ascending('stacks.offset', stacks.offset, stacks.frames.length);
  below('stacks.frames', stacks.frames, frames.count);

  below('events.action', events.action, Action.Other + 1);
  finite('events.size', events.size);
  if (!Number.isFinite(events.originUs)) throw new RangeError(`events.originUs is ${events.originUs}`);
  finite('events.sinceUs', events.sinceUs);
  below('events.stack', events.stack, stacks.count);
  if (events.forwardStack !== null) below('events.forwardStack', events.forwardStack, stacks.count);
  if (events.category !== null) below('events.category', events.category, texts);
  if (events.metadata !== null) below('events.metadata', events.metadata, texts);
  if (events.compileContext !== null) below('events.compileContext', events.compileContext, texts);
  below('segmentEvents.event', segmentEvents.event, events.count);
  rising('segmentEvents.event', segmentEvents.event);
  below('segmentEvents.stream', segmentEvents.stream, texts);
  below('failures.event', failures.event, events.count);
  finite('failures.deviceFree', failures.deviceFree);

  finite('segments.totalSize', segments.totalSize);
  below('segments.stream', segments.stream, texts);
  below('segments.pool', segments.pool, texts);
  below('segments.stack', segments.stack, stacks.count);
  ascending('segments.firstBlock', segments.firstBlock, blocks.count);

  below('blocks.segment', blocks.segment, segments.count);
  finite('blocks.size', blocks.size);
  finite('blocks.requestedSize', blocks.requestedSize);
  below('blocks.state', blocks.state, BlockState.Inactive + 1);
  below('blocks.stack', blocks.stack, stacks.count);
  below('blocks.allocEvent', blocks.allocEvent, events.count, NO_INDEX);
  if (blocks.category !== null) below('blocks.category', blocks.category, texts);

  below('annotations.name', annotations.name, texts);
  finite('annotations.timeUs', annotations.timeUs);
}

const facts = v.object({
  format: v.string(),
  fileBytes: finiteNumber,
  traces: v.array(v.object({ device: v.pipe(v.number(), v.safeInteger()), first: count, count })),
  settings: v.nullable(v.object({})),
  takenAtUs: v.nullable(finiteNumber),
  warnings: v.array(v.object({ code: v.string(), message: v.string() })),
  absent: v.array(v.string()),
});

/** Facts come from JSON, with any value. */
function checkFacts(snapshot: Snapshot): void {
  if (!v.is(facts, snapshot)) throw new RangeError('the facts are not those of a snapshot');
  let events = 0;
  for (const { first, count: length } of snapshot.traces) {
    if (first + length > snapshot.events.count) throw new RangeError('a trace is longer than the events');
    events += length;
  }
  if (events > snapshot.events.count) throw new RangeError('the traces overlap');
}

function checkStrings({ strings }: Snapshot): void {
  const { bytes, ends } = strings.utf8();
  if (ends.length === 0 || ends[0] !== 0) throw new RangeError('strings lacks the empty text');
  rising('strings.ends', ends);
  if (ends[ends.length - 1] > bytes.length) throw new RangeError('strings.ends leads out of its bytes');
}

/** Loops by index, because an iterator takes three times as long in code that runs once. */
function below(name: string, column: Uint8Array | Uint32Array, limit: number, marker = -1): void {
  for (let i = 0; i < column.length; i++) {
    if (column[i] >= limit && column[i] !== marker) {
      throw new RangeError(`${name}[${i}] is ${column[i]}, beyond ${limit}`);
    }
  }
}

/** Checks that a column ascends from 0 to exactly `last`. */
function ascending(name: string, column: Uint32Array, last: number): void {
  if (column[0] !== 0 || column[column.length - 1] !== last) throw new RangeError(`${name} does not cover its table`);
  rising(name, column);
}

function rising(name: string, column: Uint32Array): void {
  for (let i = 1; i < column.length; i++) if (column[i] < column[i - 1]) throw new RangeError(`${name} falls`);
}

function finite(name: string, column: WholeNumbers | Float64Array): void {
  if (column instanceof Uint32Array) return;
  for (let i = 0; i < column.length; i++) {
    if (!Number.isFinite(column[i])) throw new RangeError(`${name}[${i}] is ${column[i]}`);
  }
}
