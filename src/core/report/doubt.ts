import { endingOf, type Ending } from '../retention/names/endings.js';
import type { Followed } from '../retention/findHolder.js';
import { nameOfHolder, outerName, type HolderName } from '../retention/names/names.js';
import type { Sources } from '../retention/sources.js';
import type { Place } from '../retention/values/objects.js';
import { lineAt } from '../python/pythonModule.js';
import { standings } from '../python/standings.js';
import { say } from '../text/say.js';
import type { LineReport } from './report.js';

/** How much a source that was read says for a line that its memory accuses. */
export interface Doubt {
  /**
   * - `none`: it shows who keeps the memory, and nothing that may end it
   * - `slight`: the same, but under keys
   * - `unread`: it was not followed from the program's start to the line, and who keeps the memory was not met: that says
   *   as little as a source that was not to be had
   * - `some`: it does not show who does, or a test, or keys that come again, may end it
   * - `strong`: a statement somewhere lets go of what is kept, or the loop ends and training goes on
   */
  readonly strength: 'none' | 'slight' | 'unread' | 'some' | 'strong';
  /** A sentence for the evidence; empty where there is nothing to show. */
  readonly reason: string;
}

/** What is known of the source that ran. */
export interface RanSource {
  /** True if the file is known to differ from what ran. */
  isChanged(file: string): boolean;
  /** Files that a line's run shows to have run. */
  ranWith(line: LineReport): Iterable<string>;
}

const NONE: Doubt = { strength: 'none', reason: '' };
const SLIGHT: Doubt = { strength: 'slight', reason: '' };
const UNREAD: Doubt = { strength: 'unread', reason: '' };
const SOME: Doubt = { strength: 'some', reason: '' };

/** What may end the growth of a line whose stacks were followed. */
export function doubtOf(line: LineReport, followed: readonly Followed[], sources: Sources, ran: RanSource): Doubt {
  const { holder } = line;
  const unshown = unshownDoubt(followed);
  const next = followed.find(({ nextLoop }) => nextLoop !== null)?.nextLoop ?? null;
  if (next !== null) {
    return { strength: 'strong', reason: say('Training goes on in another loop afterwards ({0}).', placeText(next)) };
  }
  if (isOfOptimizer(line, sources)) return { strength: 'strong', reason: '' };
  const ended = followed.find((one) => one.ended !== null)?.ended ?? null;
  if (holder === null && ended === null) return unshown;
  const file = holder?.file ?? ended?.module.file ?? '';
  const name = holder?.name ?? ended?.holder ?? '';
  const kept = nameOfHolder(name);
  // A cache, a hook, a graph, an exception: nothing that somebody empties by its name.
  if (kept === null) return holder === null ? unshown : NONE;
  const at = holder?.line ?? (ended === null ? 1 : lineAt(ended.module, ended.span.from));
  const modules = sources.reachableFrom([file, ...ran.ranWith(line)]);
  const search = (name: HolderName): Ending | null => endingOf(name, sources.module(file), at, modules);
  const ending = search(kept) ?? endingOfAll(outerName(name), search);
  if (ending === null && holder === null) return unshown;
  // Each item of a ring may be the end of a graph that grows; and what is bounded the recorder has seen.
  if (ending === null || (ending.kind === 'bounds' && (holder?.source === 'recorder' || isGraph(followed))))
    return NONE;
  const isKeyed = ending.kind === 'keyed' || ending.kind === 'lookedUp';
  if (isKeyed && followed.some(({ hasNewKeys }) => hasNewKeys)) return SLIGHT;
  if (ending.kind === 'tested' || ending.kind === 'keyed') return SOME;
  // What was written after it ran may be the fix.
  if (ran.isChanged(ending.place.module.file)) return NONE;
  return { strength: 'strong', reason: reasonOf(ending.kind, placeText(ending.place)) };
}

/** Of what the source does not show who keeps it. */
function unshownDoubt(followed: readonly Followed[]): Doubt {
  const buffer = followed.find((one) => one.buffer !== null)?.buffer ?? null;
  if (buffer !== null) return { strength: 'strong', reason: reasonOf('letsGo', placeText(buffer)) };
  return followed.every(({ isWhole }) => isWhole) ? SOME : UNREAD;
}

/** What may empty a container of containers, of which one is kept: not what is put in, which is another one. */
function endingOfAll(outer: HolderName | null, search: (name: HolderName) => Ending | null): Ending | null {
  const ending = outer === null ? null : search(outer);
  return ending?.kind === 'letsGo' ? ending : null;
}

function reasonOf(kind: 'bounds' | 'letsGo' | 'lookedUp' | 'counted', place: string): string {
  switch (kind) {
    case 'lookedUp':
      return say('It may be full once all keys of {0} have come.', place);
    case 'counted':
      return say('{0} may stop adding to it once a count is reached.', place);
    default:
      return say('{0} may yet let go of it.', place);
  }
}

/** State that an optimizer of the workspace makes when it first meets a parameter ends with the parameters. */
function isOfOptimizer({ file, line, holder }: LineReport, sources: Sources): boolean {
  const module = sources.module(file);
  if (module === null || (holder !== null && !/\bstate\b/.test(holder.name))) return false;
  return standings(module.body).some(
    ({ statement }) =>
      statement.kind === 'class' &&
      lineAt(module, statement.from) <= line &&
      line <= lineAt(module, statement.to) &&
      statement.bases.some(
        (base) => (base.kind === 'name' || base.kind === 'attribute') && base.name.endsWith('Optimizer'),
      ),
  );
}

function isGraph(followed: readonly Followed[]): boolean {
  return followed.some(({ finding }) => finding?.through === 'graph');
}

function placeText({ module, span }: Place): string {
  return `${module.file.slice(module.file.lastIndexOf('/') + 1)}:${lineAt(module, span.from)}`;
}
