import { getOrAdd } from '../../maps.js';
import { isWorkspaceSize } from '../../model/cublasWorkspace.js';
import {
  BlockState,
  EMPTY_STACK,
  NO_INDEX,
  NO_STACK,
  type DeviceTrace,
  type Snapshot,
  type SnapshotWarning,
} from '../../model/snapshot.js';
import type { Bytes } from '../../model/units.js';
import { deviceName } from '../../text/deviceName.js';
import { countText } from '../../text/numberText.js';
import { t, tCount } from '../../text/translate.js';

/** What a recording could not see, or where it does not add up: one sentence each, the cure at its end. */
export function recordingWarnings(snapshot: Snapshot): SnapshotWarning[] {
  const { traces } = snapshot;
  const byDevice = liveByDevice(snapshot);
  const eventful = traces.filter((trace) => trace.count > 0);
  const onlyLast = onlyLastEvent(snapshot, eventful);
  const warnings: (SnapshotWarning | null)[] = [
    onlyLast ? onlyLastWarning() : null,
    missingTrace(snapshot, eventful),
    onlyLast ? null : missingStacks(snapshot, eventful),
    damagedSegments(snapshot),
  ];
  for (const trace of onlyLast ? [] : eventful) {
    const live = byDevice.get(trace.device) ?? [];
    warnings.push(
      overflow(snapshot, trace, live),
      startedLate(snapshot, trace, live),
      emptyStacks(snapshot, trace, live),
    );
  }
  return warnings.filter((warning) => warning !== null);
}

function onlyLastWarning(): SnapshotWarning {
  return {
    code: 'onlyLastEvent',
    message: t(
      'The trace holds only the last event (enabled="state"), so times and freed memory are unknown: ' +
        'record with enabled="all".',
    ),
  };
}

function liveByDevice({ blocks, segments }: Snapshot): Map<number, number[]> {
  const byDevice = new Map<number, number[]>();
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] === BlockState.Inactive) continue;
    getOrAdd(byDevice, segments.device[blocks.segment[block]], () => []).push(block);
  }
  return byDevice;
}

/** A ring of one holds one event, whatever is live. */
function onlyLastEvent({ blocks }: Snapshot, eventful: readonly DeviceTrace[]): boolean {
  return eventful.length > 0 && eventful.every((trace) => trace.count === 1) && blocks.count > 1;
}

function missingTrace({ absent, blocks }: Snapshot, eventful: readonly DeviceTrace[]): SnapshotWarning | null {
  if (eventful.length > 0 || blocks.count === 0) return null;
  return {
    code: 'noTrace',
    message: absent.includes('stacks')
      ? t(
          'The snapshot holds neither a trace nor stacks, so no line can be named: ' +
            'call torch.cuda.memory._record_memory_history() before training.',
        )
      : t(
          'The snapshot holds no trace, so times and freed memory are unknown: ' +
            'record with _record_memory_history(enabled="all") and dump with _dump_snapshot.',
        ),
  };
}

function missingStacks({ absent, events, blocks }: Snapshot, eventful: readonly DeviceTrace[]): SnapshotWarning | null {
  if (eventful.length === 0) return null;
  if (absent.includes('stacks')) {
    return {
      code: 'noStacks',
      message: t('The recording has no stacks (context=None), so no line can be named: record with context="all".'),
    };
  }
  if (events.stack.every((stack) => stack === NO_STACK) && blocks.stack.some((stack) => stack > EMPTY_STACK)) {
    return {
      code: 'noEventStacks',
      message: t(
        'Only live blocks have stacks, events have none (context="state"), so lines of freed memory are unknown: ' +
          'record with context="all".',
      ),
    };
  }
  return null;
}

/** Blocks cover their segment without a hole, as PyTorch writes them. */
function damagedSegments({ segments, blocks }: Snapshot): SnapshotWarning | null {
  let bytes: Bytes = 0;
  for (let segment = 0; segment < segments.count; segment++) {
    let covered: Bytes = 0;
    for (let block = segments.firstBlock[segment]; block < segments.firstBlock[segment + 1]; block++) {
      covered += blocks.size[block];
    }
    bytes += Math.abs(segments.totalSize[segment] - covered);
  }
  if (bytes === 0) return null;
  return {
    code: 'segmentsDisagree',
    message: tCount(
      bytes,
      'The segments and their blocks differ by 1 byte, so reserved memory is ' + 'uncertain: dump the snapshot again.',
      'The segments and their blocks differ by {0} bytes, so reserved memory is ' +
        'uncertain: dump the snapshot again.',
    ),
  };
}

/** Older PyTorch versions do not report a full ring: live blocks with a stack have no allocation in the trace. */
function overflow(snapshot: Snapshot, trace: DeviceTrace, live: readonly number[]): SnapshotWarning | null {
  const { blocks, settings } = snapshot;
  const said = settings?.['trace_alloc_overflowed'];
  if (said === false) return null;
  const orphans = live.filter((block) => blocks.stack[block] > EMPTY_STACK && blocks.allocEvent[block] === NO_INDEX);
  const isCertain = said === true || (typeof said === 'number' && said > 0);
  if (!isCertain && orphans.length === 0) return null;
  const isRound = trace.count >= 100 && (trace.count % 100 === 0 || Number.isInteger(Math.log2(trace.count)));
  return {
    code: 'ringOverflow',
    message: overflowText(trace, isCertain, isRound, orphans.length),
    device: trace.device,
  };
}

/** @param orphans live blocks that must have been recorded and are not in the trace */
function overflowText({ device, count }: DeviceTrace, isCertain: boolean, isRound: boolean, orphans: number): string {
  const events = countText(count);
  if (isCertain) {
    return t(
      'The trace of {0} lost its oldest events ({1} are left), so the run’s peak may have been higher: record ' +
        'with a larger max_entries.',
      deviceName(device),
      events,
    );
  }
  return isRound
    ? t(
        'The trace of {0} almost certainly lost its oldest events ({1} are left, a round number), so the run’s ' +
          'peak may have been higher: record with a larger max_entries.',
        deviceName(device),
        events,
      )
    : tCount(
        orphans,
        'The trace of {1} begins late, because 1 live block with a stack is older. If it lost its oldest events, the ' +
          'run’s peak may have been higher: record with a larger max_entries.',
        'The trace of {1} begins late, because {0} live blocks with a stack are older. If it lost its oldest events, ' +
          'the run’s peak may have been higher: record with a larger max_entries.',
        deviceName(device),
      );
}

/** Stacks exist since the recording began: a block without one is older. */
function startedLate(snapshot: Snapshot, trace: DeviceTrace, live: readonly number[]): SnapshotWarning | null {
  const { blocks, absent } = snapshot;
  if (absent.includes('stacks')) return null;
  let bytes: Bytes = 0;
  for (const block of live) {
    if (blocks.stack[block] <= EMPTY_STACK && blocks.allocEvent[block] === NO_INDEX) bytes += blocks.size[block];
  }
  if (bytes === 0) return null;
  return {
    code: 'startedLate',
    device: trace.device,
    message: t(
      '{0} bytes on {1} were allocated before recording began and belong to no line: ' +
        'call _record_memory_history() before the model is built.',
      countText(bytes),
      deviceName(trace.device),
    ),
  };
}

/** Gradients without a stack are in every recording of a training run; a warning on every file would not be read. */
const STACKLESS_SHARE = 0.1;

/** Allocations of autograd's threads have no Python stack. A warning, if they hold much of the live memory beside workspaces. */
function emptyStacks(snapshot: Snapshot, trace: DeviceTrace, live: readonly number[]): SnapshotWarning | null {
  const { blocks, events, absent } = snapshot;
  if (absent.includes('stacks')) return null;
  let bytes: Bytes = 0;
  let all: Bytes = 0;
  for (const block of live) {
    all += blocks.size[block];
    const event = blocks.allocEvent[block];
    if (event === NO_INDEX || blocks.stack[block] > EMPTY_STACK || events.stack[event] !== EMPTY_STACK) continue;
    if (isWorkspaceSize(blocks.requestedSize[block])) continue;
    if ((events.forwardStack?.[event] ?? NO_STACK) <= EMPTY_STACK) bytes += blocks.size[block];
  }
  if (bytes < STACKLESS_SHARE * all || bytes === 0) return null;
  return {
    code: 'emptyStacks',
    device: trace.device,
    message: t(
      '{0} bytes on {1} were allocated where no Python ran, such as in backward: ' +
        'record with stacks="all", or under torch.autograd.set_detect_anomaly(True).',
      countText(bytes),
      deviceName(trace.device),
    ),
  };
}
