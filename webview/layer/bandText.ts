/** The name of a band, and its facts, in words. */
import type { BandDetail, BandOwner, Bands, Category, ShownFrame, Verdict } from '../../src/protocol/bandData.js';
import { capitalized, categoryText, VERDICT_SIGNS, verdictLabel } from '../../src/core/present/words.js';
import { formatDuration } from '../text/duration.js';
import { byteText, countText } from '../../src/core/text/numberText.js';
import { basename, fileAndLine } from '../../src/core/text/pathText.js';
import { pathEnd } from '../text/place.js';
import { t, tCount } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import type { StackedBands } from '../model/stackedBands.js';

/** Maximum length of a text that a program chose. */
const MAX_CHARACTERS = 120;

/** How much of a file's path a name has: its last part, its end, or all. */
type PathPart = 'name' | 'end' | 'whole';

/** `train.py:26`, or its owner without a line. */
export function ownerName({ place, bucket, use }: BandOwner, part: PathPart): string {
  if (use !== undefined) return t('Before recording ({0})', categoryText(use));
  if (place === null) return strings[bucket ?? 'library'];
  const { file } = place;
  return fileAndLine({ ...place, file: { name: basename, end: pathEnd, whole: () => file }[part](file) });
}

/** Name of a series by its position; of the others behind the last. */
export function seriesName(bands: Bands, series: number, part: PathPart): string {
  if (series >= bands.allSeries.length) return tCount(bands.otherSeries, '1 thin series', '{0} thin series');
  return ownerName(bands.allSeries[series], part);
}

/** True where colors by verdict would be one gray: one snapshot, of which no line is judged. */
export function isUnjudged({ grouping, groups }: Bands): boolean {
  const none = ['tooShort', 'unjudged', 'library', 'beforeRecording', 'noStack'];
  return grouping === 'verdict' && Object.values(groups).every(({ name }) => none.includes(name));
}

/** The common property of the series of one color; empty for single series. */
export function groupName(bands: Bands, series: number): string {
  if (series >= bands.allSeries.length || isUnjudged(bands)) return '';
  const { name } = bands.groups[bands.allSeries[series].group];
  switch (bands.grouping) {
    case 'age':
      return {
        before: t('Before recording'),
        kept: t('Live at the end'),
        steps: t('Freed in a later step'),
        step: t('Freed within its step'),
      }[name as 'before' | 'kept' | 'steps' | 'step'];
    case 'verdict':
      return name in VERDICT_SIGNS ? verdictLabel(name as Verdict) : strings[name as 'unjudged' | 'library'];
    case 'category':
      return capitalized(categoryText(name as Category));
    case 'file':
      return bands.allSeries[series].place === null ? '' : name;
    case 'line':
    case 'stack':
      return '';
  }
}

/** The short names of all series, the others' last. */
export function seriesNames({ bands }: StackedBands): string[] {
  return [...bands.allSeries.keys(), bands.allSeries.length].map((series) => seriesName(bands, series, 'name'));
}

/** How old it is, how long it stays and whose it is, a line each. */
export function detailLines(detail: BandDetail): string[] {
  const { blocks, ageUs, allocated, freed, bytes, frames, place, metadata, compileContext } = detail;
  const amount = tCount(blocks, '{1}, one allocation', '{1} in {0} allocations', byteText(bytes));
  const age = ageUs === null ? null : formatDuration(ageUs);
  const lines = [amount, `${allocatedText(allocated, age, blocks > 1)}, ${freedText(freed, blocks > 1)}`];
  if (frames.length === 0 && place !== null) lines.push(t('in {0}', place.function));
  if (compileContext !== '') lines.push(t('compiled: {0}', compileContext));
  if (metadata !== '') lines.push(t('metadata: {0}', shortened(metadata)));
  return lines;
}

/** @param allocated event; negative before the recording */
function allocatedText(allocated: number, age: string | null, several: boolean): string {
  if (allocated < 0) return t('allocated before the recording');
  const event = countText(allocated);
  if (age === null) return several ? t('oldest allocated at event {0}', event) : t('allocated at event {0}', event);
  return several
    ? t('oldest {0} old, allocated at event {1}', age, event)
    : t('{0} old, allocated at event {1}', age, event);
}

function freedText(freed: number | null, several: boolean): string {
  if (freed === null) return t('live at the end');
  return several ? t('all freed by event {0}', countText(freed)) : t('freed by event {0}', countText(freed));
}

/** Authors of frames, the most informative first. */
export function clearest(frames: readonly ShownFrame[]): ShownFrame['kind'] {
  return (['user', 'library'] as const).find((wanted) => frames.some(({ kind }) => kind === wanted)) ?? 'native';
}

/** Metadata is often JSON of any length. */
function shortened(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`;
}
