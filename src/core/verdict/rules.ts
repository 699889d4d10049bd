/** The rules of verdicts, in the order in which they are tried. `npm run verdicts` writes docs/verdicts.md from them. */
import type { LifetimeFeatures } from './lifetimeFeatures.js';
import type { LineRule, Rule } from './rule.js';
import { collectorFrees } from './rules/lifetimes/collectorFrees.js';
import { fewSurvivorsCome } from './rules/lifetimes/fewSurvivorsCome.js';
import { lineReleases } from './rules/lifetimes/lineReleases.js';
import { nothingStays } from './rules/lifetimes/nothingStays.js';
import { oneJump } from './rules/lifetimes/oneJump.js';
import { oneTensorGrows } from './rules/lifetimes/oneTensorGrows.js';
import { oneTensorGrowsYet } from './rules/lifetimes/oneTensorGrowsYet.js';
import { slides } from './rules/lifetimes/slides.js';
import { stopped } from './rules/lifetimes/stopped.js';
import { survivorsBecomeRarer } from './rules/lifetimes/survivorsBecomeRarer.js';
import { survivorsKeepComing } from './rules/lifetimes/survivorsKeepComing.js';
import { bounded } from './rules/lines/bounded.js';
import { collectorFreesIt } from './rules/lines/collectorFreesIt.js';
import { endless } from './rules/lines/endless.js';
import { full } from './rules/lines/full.js';
import { garbageGrows } from './rules/lines/garbageGrows.js';
import { garbageWaits } from './rules/lines/garbageWaits.js';
import { longerInputs } from './rules/lines/longerInputs.js';
import { minorGarbage } from './rules/lines/minorGarbage.js';
import { network } from './rules/lines/network.js';
import { noHolder } from './rules/lines/noHolder.js';
import { notLasting } from './rules/lines/notLasting.js';
import { nothingKnown } from './rules/lines/nothingKnown.js';
import { passed } from './rules/lines/passed.js';
import { pending } from './rules/lines/pending.js';
import { provedBefore } from './rules/lines/provedBefore.js';
import { retained } from './rules/lines/retained.js';
import { stateOfParameters } from './rules/lines/stateOfParameters.js';
import { constant } from './rules/snapshots/constant.js';
import { fallsOften } from './rules/snapshots/fallsOften.js';
import { fellAndRises } from './rules/snapshots/fellAndRises.js';
import { fellOnce } from './rules/snapshots/fellOnce.js';
import { fewSnapshots } from './rules/snapshots/fewSnapshots.js';
import { level } from './rules/snapshots/level.js';
import { rises } from './rules/snapshots/rises.js';
import { risesAtTimes } from './rules/snapshots/risesAtTimes.js';
import { risesSlower } from './rules/snapshots/risesSlower.js';
import { roseAtFirst } from './rules/snapshots/roseAtFirst.js';
import { roseOnce } from './rules/snapshots/roseOnce.js';
import type { SeriesFeatures } from './seriesFeatures.js';
import type { Shape } from './shape.js';

/** Shapes by the lifetimes of a stack's allocations. */
export const LIFETIME_RULES: readonly Rule<LifetimeFeatures, Shape>[] = [
  survivorsKeepComing,
  survivorsBecomeRarer,
  oneTensorGrows,
  oneTensorGrowsYet,
  collectorFrees,
  lineReleases,
  slides,
  nothingStays,
  oneJump,
  fewSurvivorsCome,
  stopped,
];

/** Shapes by the live bytes in snapshots, used if no trace shows lifetimes. */
export const SERIES_RULES: readonly Rule<SeriesFeatures, Shape>[] = [
  fewSnapshots,
  constant,
  fallsOften,
  fellOnce,
  fellAndRises,
  roseAtFirst,
  risesSlower,
  rises,
  roseOnce,
  level,
  risesAtTimes,
];

/** The verdict of a line. Those before `notLasting` are about cycles, those after it about lasting growth. */
export const LINE_RULES: readonly LineRule[] = [
  collectorFreesIt,
  minorGarbage,
  garbageWaits,
  notLasting,
  provedBefore,
  stateOfParameters,
  full,
  bounded,
  longerInputs,
  network,
  retained,
  pending,
  passed,
  endless,
  garbageGrows,
  noHolder,
  nothingKnown,
];

/** The first rule that holds; the last rule of each table always does. */
export function ruleFor<Features, R extends Rule<Features, unknown>>(rules: readonly R[], features: Features): R {
  const rule = rules.find(({ holds }) => holds(features));
  if (rule === undefined) throw new Error('The last rule of a table holds always.');
  return rule;
}
