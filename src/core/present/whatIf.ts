/** What other settings of the allocator, another device or less memory would have made of a recording. */
import type { Bytes } from '../model/units.js';
import { changeText } from '../report/compare/changeText.js';
import type { ChangeOutcome, DeviceWhatIf } from '../report/peak/whatIfDevices.js';
import { deviceName } from '../text/deviceName.js';
import { named } from '../text/names.js';
import { byteText, countText, signedByteText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import { left, list, right, table, text, type Document } from './document.js';
import { capitalized } from './words.js';

type Recorded = NonNullable<DeviceWhatIf['recorded']>;
type Outcomes = readonly Pick<ChangeOutcome, 'setting' | 'program' | 'isEstimate' | 'insteadOfBytes'>[];

/** One document a device. */
export function whatIfDocuments(devices: readonly DeviceWhatIf[]): Document[] {
  const none = t('The recording has no trace. Record with torch.cuda.memory._record_memory_history.');
  if (devices.length === 0) return [{ heading: '', name: '', blocks: text(none) }];
  return devices.map(({ device, replay, recorded, outcomes }) => {
    const name = capitalized(deviceName(device));
    return {
      heading: name,
      name,
      blocks: [
        ...text(whatIfSummary({ replay, outcomes })),
        ...(recorded === null ? [] : list(...factsOf(recorded))),
        ...outcomesTable(outcomes, recorded?.capacityBytes ?? null),
        ...(recorded === null ? [] : list(...whatIfNotes(recorded, outcomes))),
      ],
    };
  });
}

/** Whether the recording can be replayed, and whether a change changes anything. */
export function whatIfSummary({ replay, outcomes }: Pick<DeviceWhatIf, 'replay'> & { outcomes: Outcomes }): string {
  const { allocations, segments, firstDifference } = replay;
  if (firstDifference !== null) return firstDifference.sentence;
  const all = [countText(allocations), countText(segments)];
  const replayed = t('{0} allocations and {1} segments replayed, all as recorded.', ...all);
  return outcomes.length > 0 ? replayed : `${replayed} ${t('No change that was replayed changes what is reserved.')}`;
}

function factsOf({ reservedPeakBytes, reservedEndBytes, failure, ...recorded }: Recorded): string[] {
  const { capacityBytes, smallestCapacityBytes, fits } = recorded;
  const event = failure === null ? '' : countText(failure.event);
  const peak = [byteText(reservedPeakBytes), byteText(reservedEndBytes)];
  const smallest = byteText(smallestCapacityBytes ?? 0);
  const capacity = byteText(capacityBytes ?? 0);
  return [
    t('Reserved as recorded: {0} at the peak, {1} at the end.', ...peak),
    failure === null
      ? ''
      : failure.isReproduced
        ? t('Out of memory at event {0}: the replay with the device’s capacity fails there too.', event)
        : t(
            'Out of memory at event {0}: the replay with the device’s capacity does not fail there, so other memory of the device changed meanwhile.',
            event,
          ),
    capacityBytes === null || smallestCapacityBytes === null
      ? ''
      : fits === true
        ? t('With the recorded settings, {0} is enough: {1} is the smallest capacity that fits.', capacity, smallest)
        : t(
            'With the recorded settings, {0} is {2} short: {1} is the smallest capacity that fits.',
            ...[capacity, smallest, byteText(shortOf(recorded, capacityBytes))],
          ),
  ];
}

/** What limits the answer, and when memory ends. */
export function whatIfNotes({ end, olderBytes, capacityBytes, ...recorded }: Recorded, outcomes: Outcomes): string[] {
  const isCheckpoint = ({ program }: Outcomes[number]): boolean => program?.kind === 'checkpoint';
  const estimate = outcomes.find((one) => one.isEstimate && !isCheckpoint(one));
  const insteadOf = outcomes.at(0)?.insteadOfBytes ?? recorded.reservedPeakBytes;
  return [
    end === null
      ? ''
      : t(
          'If the program goes on as in its last {0} steps, memory ends {1} steps after the recording.',
          ...[countText(end.repeatedSteps), countText(end.afterSteps)],
        ),
    estimate !== undefined && olderBytes > 0
      ? t(
          '~ estimated: {0} is older than the trace, and is laid out again in the order of its addresses. The recorded settings then reserve {1} at the peak.',
          ...[byteText(olderBytes), byteText(estimate.insteadOfBytes)],
        )
      : estimate === undefined && capacityBytes !== null && insteadOf !== recorded.reservedPeakBytes
        ? t('The recorded settings reserve {0} at the peak on {1}.', byteText(insteadOf), byteText(capacityBytes))
        : '',
    outcomes.some(isCheckpoint)
      ? t('~ estimated: a checkpoint needs temporary memory for its recomputation, which is not recorded.')
      : '',
    outcomes.some(({ setting }) => setting?.includes('garbage_collection_threshold') === true)
      ? t('garbage_collection_threshold needs torch.cuda.set_per_process_memory_fraction(1.0), else it has no effect.')
      : '',
  ].filter((note) => note !== '');
}

function outcomesTable(outcomes: readonly ChangeOutcome[], capacity: Bytes | null): Document['blocks'] {
  const asked = capacity === null ? [] : [t('capacity'), t('smallest that fits')];
  const titles = [t('reserved peak'), t('difference'), t('at the end'), ...asked];
  return table(
    [left(t('change')), ...titles.map(right)],
    outcomes.map((outcome) => {
      const { reservedPeakBytes, smallestCapacityBytes, leftBytes } = outcome;
      return [
        named(changeText(outcome)),
        `${outcome.isEstimate ? '~' : ''}${byteText(reservedPeakBytes)}`,
        signedByteText(reservedPeakBytes - outcome.insteadOfBytes),
        byteText(outcome.reservedEndBytes),
        ...(capacity === null
          ? []
          : [
              outcome.fits === true
                ? t('{0} left', byteText(leftBytes ?? 0))
                : t('{0} short', byteText(shortOf(outcome, capacity))),
              smallestCapacityBytes === null ? '' : byteText(smallestCapacityBytes),
            ]),
      ];
    }),
  );
}

/** What a capacity lacks for the whole recording; for the first request that fails it may lack less. */
function shortOf(
  { shortBytes, smallestCapacityBytes }: Pick<ChangeOutcome, 'shortBytes' | 'smallestCapacityBytes'>,
  capacity: Bytes,
): Bytes {
  return smallestCapacityBytes === null ? shortBytes : smallestCapacityBytes - capacity;
}
