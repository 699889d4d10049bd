/** What other settings of the allocator, another device or less memory would have made of a recording, as text. */
import type { Bytes } from '../model/units.js';
import { changeText } from '../report/changeText.js';
import type { ChangeOutcome, DeviceWhatIf } from '../report/whatIfDevices.js';
import { byteText, signedByteText } from '../text/byteText.js';
import { countText } from '../text/numberText.js';
import { visibleText } from '../text/plainText.js';
import { tableLines, type Column } from '../text/textTable.js';

/** The answers as text. */
export function whatIfText(devices: readonly DeviceWhatIf[]): string {
  if (devices.length === 0)
    return 'The recording has no trace. Record with torch.cuda.memory._record_memory_history.\n';
  const text = (device: DeviceWhatIf): string =>
    deviceLines(device)
      .map((line) => `${visibleText(line)}\n`)
      .join('');
  return devices.map(text).join('\n');
}

function deviceLines({ device, replay, recorded, outcomes }: DeviceWhatIf): string[] {
  const name = `Device ${device}:`;
  if (recorded === null) return [`${name} ${replay.firstDifference?.sentence ?? ''}`];
  const { failure, capacityBytes, olderBytes } = recorded;
  const lines = [
    `${name} ${countText(replay.allocations)} allocations and ${countText(replay.segments)} segments replayed, all as recorded.`,
    `Reserved as recorded: ${byteText(recorded.reservedPeakBytes)} at the peak, ${byteText(recorded.reservedEndBytes)} at the end.`,
  ];
  if (failure !== null) {
    const event = countText(failure.event);
    lines.push(
      failure.isReproduced
        ? `Out of memory at event ${event}: the replay with the device's capacity fails there too.`
        : `Out of memory at event ${event}: the replay with the device's capacity does not fail there, so other memory of the device changed meanwhile.`,
    );
  }
  if (capacityBytes !== null && recorded.smallestCapacityBytes !== null) {
    const verdict = recorded.fits === true ? 'is enough' : `is ${byteText(shortOf(recorded, capacityBytes))} short`;
    lines.push(
      `With the recorded settings, ${byteText(capacityBytes)} ${verdict}: ${byteText(recorded.smallestCapacityBytes)} is the smallest capacity that fits.`,
    );
  }
  if (recorded.end !== null) lines.push(endText(recorded.end));
  if (outcomes.length === 0) return [...lines, 'No change that was replayed changes what is reserved.'];
  lines.push(
    '',
    ...tableLines(
      columnsOf(capacityBytes),
      outcomes.map((one) => cellsOf(one, capacityBytes)),
    ),
  );
  const [{ insteadOfBytes }] = outcomes;
  const estimate = outcomes.find(({ isEstimate, program }) => isEstimate && program?.kind !== 'checkpoint');
  if (estimate === undefined && capacityBytes !== null && insteadOfBytes !== recorded.reservedPeakBytes)
    lines.push(
      '',
      `The recorded settings reserve ${byteText(insteadOfBytes)} at the peak on ${byteText(capacityBytes)}.`,
    );
  if (estimate !== undefined && olderBytes > 0) {
    lines.push(
      '',
      `~ estimated: ${byteText(olderBytes)} is older than the trace, and is laid out again in the order of its addresses.`,
      `The recorded settings then reserve ${byteText(estimate.insteadOfBytes)} at the peak.`,
    );
  }
  if (outcomes.some(({ program }) => program?.kind === 'checkpoint'))
    lines.push('', '~ estimated: a checkpoint needs temporary memory for its recomputation, which is not recorded.');
  if (outcomes.some(({ setting }) => setting?.includes('garbage_collection_threshold') === true))
    lines.push(
      '',
      'garbage_collection_threshold needs torch.cuda.set_per_process_memory_fraction(1.0), else it has no effect.',
    );
  return lines;
}

type MemoryEnd = NonNullable<NonNullable<DeviceWhatIf['recorded']>['end']>;

function endText({ afterSteps, repeatedSteps }: MemoryEnd): string {
  return `If the program goes on as in its last ${countText(repeatedSteps)} steps, memory ends ${countText(afterSteps)} steps after the recording.`;
}

function columnsOf(capacity: Bytes | null): Column[] {
  const asked = capacity === null ? [] : [`of ${byteText(capacity)}`, 'smallest that fits'];
  const titles = ['change', 'reserved peak', 'difference', 'at the end', ...asked];
  return titles.map((title, i) => ({ title, align: i === 0 ? '<' : '>' }));
}

function cellsOf(outcome: ChangeOutcome, capacity: Bytes | null): string[] {
  const { setting, program, reservedPeakBytes, insteadOfBytes, reservedEndBytes, isEstimate, smallestCapacityBytes } =
    outcome;
  const cells = [
    changeText({ setting, program }),
    `${isEstimate ? '~' : ''}${byteText(reservedPeakBytes)}`,
    signedByteText(reservedPeakBytes - insteadOfBytes),
    byteText(reservedEndBytes),
  ];
  if (capacity === null) return cells;
  const { fits, leftBytes } = outcome;
  const fit = fits === true ? `${byteText(leftBytes ?? 0)} left` : `${byteText(shortOf(outcome, capacity))} short`;
  return [...cells, fit, smallestCapacityBytes === null ? '' : byteText(smallestCapacityBytes)];
}

/** What a capacity lacks for the whole recording; for the first request that fails it may lack less. */
function shortOf(
  { shortBytes, smallestCapacityBytes }: Pick<ChangeOutcome, 'shortBytes' | 'smallestCapacityBytes'>,
  capacity: Bytes,
): Bytes {
  return smallestCapacityBytes === null ? shortBytes : smallestCapacityBytes - capacity;
}
