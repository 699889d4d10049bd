import { t, tCount } from '../../text/translate.js';
import { signedByteText } from '../../text/numberText.js';
import type { LineReport, RankDifference, RankLine, RunReport, Verdict } from '../report.js';
import { ranksText, runsByJob } from './ranks.js';
import { GROWS } from '../../verdict/shape.js';
import { perStep } from '../reportText.js';
import { placeText } from '../../text/pathText.js';

type Ranked = RunReport & { rank: number };

/** Verdicts without further growth. */
const CALM: ReadonlySet<Verdict> = new Set(['steady', 'plateau', 'oneOff', 'periodic']);

/** Lines that grow on some ranks of a distributed run and not on others, by the worst rate. */
export function rankDifferences(runs: readonly RunReport[]): RankDifference[] {
  const ranked = runs.filter((run): run is Ranked => run.rank !== null);
  return [...runsByJob(ranked)].flatMap(([job, ranks]) => (ranks.length < 2 ? [] : differencesIn(job, ranks)));
}

function differencesIn(job: string, ranks: readonly Ranked[]): RankDifference[] {
  const sorted = [...ranks].sort((a, b) => a.rank - b.rank);
  const byRank = sorted.map((run) => [run, new Map(run.lines.map((line) => [placeText(line), line]))] as const);
  const places = new Map<string, LineReport>();
  for (const [, lines] of byRank)
    for (const [place, line] of lines) if (GROWS.has(line.verdict)) places.set(place, line);
  return [...places]
    .flatMap(([place, line]): RankDifference[] => {
      const seen = byRank.flatMap(([run, lines]) => rankLine(run, lines.get(place)) ?? []);
      const growing = seen.filter(({ verdict }) => verdict !== null && GROWS.has(verdict));
      const calm = seen.filter(({ verdict }) => verdict === null || CALM.has(verdict));
      if (calm.length === 0) return [];
      const { file, function: name, mapped } = line;
      const message = messageOf(place, growing, calm, sorted[0]);
      return [{ job, file, line: line.line, function: name, mapped, growing, calm, message }];
    })
    .sort((a, b) => worstRate(b.growing) - worstRate(a.growing));
}

/** The line on one rank; null if the rank has too few steps to exclude growth. */
function rankLine(run: Ranked, line: LineReport | undefined): RankLine | null {
  if (line === undefined && run.verdict === 'tooShort') return null;
  return {
    rank: run.rank,
    run: run.id,
    verdict: line?.verdict ?? null,
    liveBytes: line?.liveBytes ?? 0,
    growthBytes: line?.growthBytes ?? 0,
    bytesPerStep: line?.bytesPerStep ?? null,
  };
}

function messageOf(place: string, growing: readonly RankLine[], calm: readonly RankLine[], run: RunReport): string {
  const rate = worstRate(growing);
  return [
    rate > 0
      ? tCount(
          growing.length,
          '{1} grows on rank {2} ({3}).',
          '{1} grows on ranks {2} ({3}).',
          ...[place, namesOf(growing), perStep(signedByteText(Math.round(rate)), run.steps)],
        )
      : tCount(growing.length, '{1} grows on rank {2}.', '{1} grows on ranks {2}.', ...[place, namesOf(growing)]),
    calm.every(({ verdict }) => verdict === null)
      ? tCount(calm.length, 'It holds nothing on rank {1}.', 'It holds nothing on ranks {1}.', namesOf(calm))
      : tCount(calm.length, 'It does not grow on rank {1}.', 'It does not grow on ranks {1}.', namesOf(calm)),
    growing.length === 1
      ? t('Inspect code that only rank {0} runs.', growing[0].rank)
      : t('Inspect code that only those ranks run.'),
  ].join(' ');
}

function namesOf(lines: readonly RankLine[]): string {
  return ranksText(lines.map(({ rank }) => rank));
}

function worstRate(lines: readonly RankLine[]): number {
  return Math.max(0, ...lines.map(({ bytesPerStep }) => bytesPerStep ?? 0));
}
