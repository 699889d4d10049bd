/** Makes the questions of the page from what its views ask. */
import { ALLOCATED } from './live/allocatedQuery.js';
import { COMPARE_FLAME, COMPARE_TABLE, SERIES } from './compare/compareQuery.js';
import { FLAME } from './flame/flameQuery.js';
import { MAP } from './map/mapQuery.js';
import type { Host } from './model/host.js';
import { Question, type Asks, type Questions } from './model/question.js';
import type { Store } from './model/store.js';
import type { ViewState } from './model/viewState.js';
import { RUN } from './run/runQuery.js';
import { RESERVED_WITH, WHAT_IF } from './whatIf/whatIfQuery.js';
import type { TimelineApi } from '../src/protocol/timelineApi.js';

export function createQuestions(store: Store<ViewState>, host: Pick<Host, 'call'>): Questions {
  const asking = <Name extends keyof TimelineApi>(asks: Asks<Name>) => new Question(store, host, asks);
  const reserved = asking(RESERVED_WITH);
  reserved.store.watch(({ answer: reservedWith, error }) =>
    store.update({ reservedWith, ...(error !== null && { change: null, openError: error }) }),
  );
  return {
    allocated: asking(ALLOCATED),
    flame: asking(FLAME),
    map: asking(MAP),
    whatIf: asking(WHAT_IF),
    run: asking(RUN),
    compareTable: asking(COMPARE_TABLE),
    compareFlame: asking(COMPARE_FLAME),
    series: asking(SERIES),
  };
}
