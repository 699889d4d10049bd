/** Words that the surfaces share. */
import type { Category } from '../attribution/categories/category.js';
import type { Bucket } from '../attribution/owner.js';
import type {
  CategoryAmount,
  HolderReport,
  LineReport,
  RunReport,
  SnapshotReport,
  StepSource,
  Verdict,
} from '../report/report.js';
import { perStep } from '../report/reportText.js';
import { deviceName } from '../text/deviceName.js';
import { byteText, countText, signedByteText } from '../text/numberText.js';
import { t, tCount } from '../text/translate.js';

/** The name of a bucket. */
export function bucketText(bucket: Bucket): string {
  return {
    library: t('library or native code'),
    beforeRecording: t('before recording'),
    noStack: t('no stack recorded'),
  }[bucket];
}

/** How a holder is known. */
export function holderSourceText(source: HolderReport['source']): string {
  return {
    recorder: t('seen in the running process'),
    cycle: t('a reference cycle'),
    pattern: t('read from the source'),
  }[source];
}

/** A sign beside the color of each verdict. */
export const VERDICT_SIGNS: Readonly<Record<Verdict, string>> = {
  ...{ leak: '▲', cycle: '↻', periodic: '◿', growing: '△', plateau: '▬', oneOff: '▪', steady: '▬', tooShort: '▫' },
};

/** The name of a verdict. */
export function verdictName(verdict: Verdict): string {
  return {
    leak: t('leak'),
    cycle: t('cycle'),
    periodic: t('periodic'),
    growing: t('growing?'),
    plateau: t('plateau'),
    oneOff: t('one-off'),
    steady: t('steady'),
    tooShort: t('too short'),
  }[verdict];
}

/** `▲ Leak`: a verdict where it is alone. */
export function verdictLabel(verdict: Verdict): string {
  return `${VERDICT_SIGNS[verdict]} ${capitalized(verdictName(verdict))}`;
}

/** The name in a table, where a leak stands out. */
export function verdictCell(verdict: Verdict): string {
  return verdict === 'leak' ? verdictName(verdict).toUpperCase() : verdictName(verdict);
}

/** A line's verdict in a table. */
export function verdictText({ verdict, growthBytes, ignored, inBaseline }: LineReport): string {
  if (ignored) return inBaseline ? t('baseline') : t('ignored');
  if (verdict === 'tooShort' && growthBytes <= 0) return t('live');
  return verdictCell(verdict);
}

/** A name at the beginning of a row or a title. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Growth per step; empty where there is none, or none is known. */
export function rateText(line: LineReport, steps: StepSource | null): string {
  const rate = Math.round(line.bytesPerStep ?? 0);
  const isKnown = line.verdict !== 'tooShort' || line.growthBytes !== 0;
  return rate === 0 || steps === null || !isKnown ? '' : perStep(signedByteText(rate), steps);
}

/** Names of categories. */
export function categoryText(category: Category): string {
  return {
    parameters: t('parameters'),
    gradients: t('gradients'),
    optimizerState: t('optimizer state'),
    activations: t('activations'),
    inputs: t('inputs'),
    weightCopies: t('autocast’s weight copies'),
    backward: t('backward pass'),
    workspace: t('workspace'),
    other: t('other'),
  }[category];
}

/** Amounts by category, largest first; empty if there are none. */
export function categoriesText(amounts: readonly CategoryAmount[]): string {
  return amounts
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ category, bytes }) => `${categoryText(category)} ${byteText(bytes)}`)
    .join(', ');
}

/** The categories of the live bytes in a run's last snapshot. */
export function liveCategoriesText({ categories }: RunReport): string {
  return categoriesText(categories.map(({ category, liveBytes: bytes }) => ({ category, bytes })));
}

/** One line per device that holds memory. */
export function deviceTexts(snapshot: SnapshotReport): string[] {
  const held = snapshot.devices.filter(({ liveBytes: live, reservedBytes }) => live > 0 || (reservedBytes ?? 0) > 0);
  return (held.length === 0 ? snapshot.devices.slice(0, 1) : held).map(
    ({ device, liveBytes: live, requestedBytes, reservedBytes, privatePoolBytes }) =>
      [
        t('{0}: {1} live ({2} B)', deviceName(device), byteText(live), countText(live)),
        ...(requestedBytes === null ? [] : [t('{0} of it requested', byteText(requestedBytes))]),
        ...(reservedBytes === null ? [] : [t('{0} reserved', byteText(reservedBytes))]),
        ...(privatePoolBytes === 0 ? [] : [t('{0} of it in private pools', byteText(privatePoolBytes))]),
      ].join(', '),
  );
}

export function snapshotsText(count: number): string {
  return tCount(count, '1 snapshot', '{0} snapshots');
}

/** Lines of a table that are not in it by name. */
export function otherLinesText(count: number): string {
  return tCount(count, '1 other line', '{0} other lines');
}
