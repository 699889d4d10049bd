import assert from 'node:assert/strict';
import type { Place } from '../../../src/core/facts/evidence.js';
import type { LineOwner, RecordedLine } from '../../../src/core/facts/recordedFacts.js';
import type { HolderRelease, RecordedCustody, RecordedOwner } from '../../../src/core/model/recording.js';
import { type Custody, custodyOf } from '../../../src/core/verdict/custody.js';
import { BLANK_OWNER } from '../../support/blankOwner.js';

const PLACE = { file: 'train.py', line: 30 };

const CUSTODY: RecordedCustody = {
  ...{ sinceStep: 10, searches: 5, heldBytes: 100, freedBytes: 0, movedBytes: 0, survivedBytes: 0 },
  lengths: [10, 20, 30, 40, 50],
};

const OWNER: RecordedOwner = {
  ...BLANK_OWNER,
  ...{ kind: 'attribute', name: 'Report.rows', place: { file: 'train.py', line: 12 }, bytes: 100 },
  allocatedSteps: { first: 0, last: 48, steps: 49 },
  container: { type: 'list', length: 50, maxlen: null },
  ...{ custody: CUSTODY, releases: [] },
};

const RELEASE: HolderRelease = {
  ...{ file: 'train.py', line: 60, function: 'Report.flush', kind: 'clear', where: 'loop', isConditional: true },
  ...{ value: null, runs: null, hasRun: true },
};

type Growth = Parameters<typeof custodyOf>[1];

function custody(
  owner: Partial<RecordedOwner>,
  growth: Partial<Growth> = {},
  line: Partial<RecordedLine> = {},
): Custody | null {
  const one: LineOwner = {
    owner: { ...OWNER, ...owner },
    bytes: 100,
    place: PLACE,
    isMapped: true,
    before: null,
    sinceFirst: 0,
    sizes: [],
  };
  return custodyOf(
    { owners: [one], holder: one, garbage: null, lastSearch: 1, isComplete: true, ...line },
    {
      ...{
        bytes: [0, 100],
        births: { steps: 49, of: 50 },
        lastStep: 50,
        nextPart: null,
        isOptimized: true,
        evaluation: null,
      },
      counts: loops([{ place: { file: 'train.py', line: 5 }, rounds: 2 }]),
      ...growth,
    },
  );
}

/** What is missing for a proof; `retained` if nothing is. */
function missing(...of: Parameters<typeof custody>): string {
  const seen = custody(...of);
  return seen === null ? 'nothing' : seen.isRetained ? `retained by ${seen.by}` : seen.missing.kind;
}

/** Counts of the loops around the loop of the steps. */
function loops(
  rounds: ReturnType<Growth['counts']['roundsSince']>,
  uncounted: readonly Place[] = [],
): Growth['counts'] {
  return { roundsSince: () => rounds, uncounted };
}

const oneLoop: Partial<Growth> = { counts: loops([]) };

describe('Custody', () => {
  it('proves nothing if the search for releases ran out of time', () => {
    assert.equal(missing({ releases: null }), 'search');
    assert.equal(missing({ releases: null, custody: null }), 'nothing', 'as in files of recorders before custody');
  });

  it('needs more steps for names with numbers, which may repeat', () => {
    const short: Partial<Growth> = { ...oneLoop, lastStep: 40 };
    assert.equal(missing({ name: 'Queue.rows' }, short), 'retained by chances');
    assert.equal(missing({ name: 'Queue.rows_*' }, short), 'steps');
    assert.equal(missing({ name: 'Queue.rows_*' }, { ...oneLoop, lastStep: 60 }), 'retained by chances');
  });

  it('takes a variable that an evaluation fills for its result, unless it holds graphs or views', () => {
    const evaluates: Partial<Growth> = { ...oneLoop, isOptimized: false, evaluation: { file: 'train.py', line: 8 } };
    const rows = { kind: 'local', name: 'rows', place: { file: 'train.py', line: 9 } };
    assert.equal(missing(rows, evaluates), 'result');
    assert.equal(missing({ ...rows, graphBytes: 50 }, evaluates), 'retained by chances');
    assert.equal(missing({ ...rows, items: { kind: 'view', type: null } }, evaluates), 'retained by chances');
    assert.equal(missing({ ...rows, name: 'server.rows' }, evaluates), 'retained by chances');
    assert.equal(missing(rows, { ...evaluates, evaluation: { file: 'other.py', line: 8 } }), 'retained by chances');
    assert.equal(missing(rows, { ...oneLoop, evaluation: null }), 'retained by chances', 'in training');
    assert.equal(
      missing(rows, { isOptimized: false, evaluation: { file: 'train.py', line: 8 } }),
      'retained by chances',
    );
  });

  it('proves a leak if the holder freed nothing while each loop repeated twice', () => {
    assert.equal(missing({}), 'retained by chances');
    assert.equal(missing({ custody: { ...CUSTODY, movedBytes: 50, freedBytes: 1 } }), 'retained by chances');
  });

  it('proves nothing if the holder freed a part, or if few searches and steps saw it', () => {
    assert.equal(missing({ custody: { ...CUSTODY, freedBytes: 5 } }), 'freed');
    assert.equal(missing({ custody: { ...CUSTODY, searches: 2 } }), 'searches');
    assert.equal(missing({ custody: { ...CUSTODY, sinceStep: 40 } }), 'steps');
    assert.equal(missing({ custody: null }), 'nothing');
  });

  it('proves nothing if the search was not complete, or found too little of the growth', () => {
    assert.equal(missing({}, {}, { isComplete: false }), 'search');
    assert.equal(missing({}, { bytes: [0, 200] }), 'search');
    const lengths = [10, 20, 20, 40, 50];
    const passing = { allocatedSteps: { first: 3, last: 4, steps: 2 }, custody: { ...CUSTODY, lengths } };
    assert.equal(missing(passing), 'search');
  });

  it('counts the items of a container that only becomes longer, though each replaces what it holds', () => {
    const allocatedSteps = { first: 48, last: 48, steps: 1 };
    assert.equal(missing({ allocatedSteps, custody: { ...CUSTODY, freedBytes: 900 } }), 'retained by chances');
  });

  it('waits for each loop around the steps', () => {
    assert.equal(missing({}, { counts: loops([{ place: PLACE, rounds: 1 }]) }), 'loop');
    assert.equal(missing({}, { counts: loops(null) }), 'loop');
    assert.equal(missing({}, { counts: loops([], [PLACE]) }), 'uncounted');
  });

  it('needs a single loop after which training does not go on, and a holder that was read', () => {
    assert.equal(missing({}, oneLoop), 'retained by chances');
    assert.equal(missing({}, { ...oneLoop, nextPart: PLACE }), 'nextPart');
    assert.equal(missing({ isDirect: false }, oneLoop), 'library');
    assert.equal(missing({ place: null }, oneLoop), 'steps');
    assert.equal(missing({ place: null }, { ...oneLoop, lastStep: 60 }), 'retained by chances');
  });

  it('waits for releases that may still run, but not for those that ran, or that nothing calls', () => {
    assert.equal(missing({ releases: [RELEASE] }), 'release');
    assert.equal(missing({ releases: [{ ...RELEASE, runs: 3 }] }), 'retained by chances');
    assert.equal(missing({ releases: [{ ...RELEASE, isConditional: false }] }), 'retained by chances');
    assert.equal(missing({ releases: [{ ...RELEASE, where: 'outside' }] }), 'release');
    assert.equal(missing({ releases: [{ ...RELEASE, where: 'uncalled', hasRun: null }] }), 'retained by chances');
    assert.equal(missing({ releases: [{ ...RELEASE, where: 'uncalled', hasRun: true }] }), 'release');
    assert.equal(missing({ releases: [{ ...RELEASE, kind: 'trim', isConditional: false }] }), 'release');
    // A function that does not run on steps had its turn when the loops repeated.
    const atEpochs = { ...RELEASE, where: 'framework', hasRun: false };
    assert.equal(missing({ releases: [atEpochs] }), 'retained by chances');
    assert.equal(missing({ releases: [atEpochs] }, oneLoop), 'release');
    // A thread calls it at times that have nothing to do with steps.
    assert.equal(missing({ releases: [atEpochs] }, { ...oneLoop, lastStep: 80 }), 'release');
    const inLoop = { ...atEpochs, where: 'loop' };
    assert.equal(missing({ releases: [inLoop] }, { ...oneLoop, lastStep: 80 }), 'retained by chances');
  });

  it('takes owners of one name for parts of one holder, the newest of which few searches saw', () => {
    const part = (first: number, searches: number, sinceStep: number, sinceFirst: number): LineOwner => ({
      owner: {
        ...OWNER,
        bytes: 50,
        allocatedSteps: { first, last: first + 20, steps: 20 },
        custody: { ...CUSTODY, searches, sinceStep, heldBytes: 50 },
      },
      ...{ bytes: 50, place: PLACE, isMapped: true, before: null, sinceFirst, sizes: [] },
    });
    const of = (...owners: LineOwner[]): string => missing({}, {}, { owners, holder: owners[0] });
    assert.equal(of(part(0, 5, 10, 0), part(25, 1, 45, 0)), 'retained by chances');
    // One of another name needs its own searches.
    const other = part(25, 1, 45, 0);
    assert.equal(of(part(0, 5, 10, 0), { ...other, owner: { ...other.owner, name: 'Report.others' } }), 'searches');
    // A window of parts: the oldest has left.
    assert.equal(of(part(20, 5, 20, 0), part(25, 1, 45, 0)), 'parts');
  });

  it('names the loop of which each round allocates, and containers outside of networks', () => {
    const around = [7, 15].map((rounds) => ({ place: { file: 'train.py', line: rounds }, rounds }));
    const seen = (steps: number, type: string): unknown[] => {
      const found = custody(
        { container: { type, length: 4, maxlen: null } },
        { births: { steps, of: 400 }, counts: loops(around) },
      );
      return found?.isRetained === true ? [found.roundOf?.line, found.isOutsideNetworks] : [];
    };
    assert.deepEqual(seen(9, 'list'), [7, true]);
    assert.deepEqual(seen(400, 'ModuleDict'), [15, false]);
    assert.deepEqual(seen(3, 'list'), [undefined, true]);
  });

  it('names the release whose call is missing: one that nothing calls, or that freed nothing', () => {
    const reset: HolderRelease = { ...RELEASE, function: 'Metric.reset', kind: 'method', isConditional: false };
    const missed = (release: HolderRelease, freedBytes = 0): HolderRelease | null => {
      const seen = custody({ releases: [release], custody: { ...CUSTODY, freedBytes } });
      assert.ok(seen?.isRetained === true);
      return seen.missed;
    };
    assert.deepEqual(missed(reset), reset);
    assert.equal(missed(reset, 1), null);
    assert.equal(missed({ ...reset, kind: 'clear' }), null);
    const uncalled = { ...reset, where: 'uncalled', hasRun: false };
    assert.deepEqual(missed(uncalled, 1), uncalled);
  });

  it('waits for a length that is tested, unless the holder is longer or nothing calls the test, and for open slots', () => {
    const bound = { ...RELEASE, kind: 'bound', value: 512 };
    assert.equal(missing({ releases: [bound] }), 'bound');
    assert.equal(missing({ releases: [{ ...bound, value: 49 }] }), 'retained by chances');
    const uncalled = { ...bound, where: 'uncalled', hasRun: false };
    assert.equal(missing({ releases: [uncalled] }), 'retained by chances');
    assert.equal(missing({ releases: [{ ...uncalled, hasRun: true }] }), 'bound');
    const before = { ...OWNER, bytes: 50 };
    const one: LineOwner = {
      owner: { ...OWNER, custody: { ...CUSTODY, lengths: [50, 50, 50] } },
      ...{ bytes: 100, place: PLACE, isMapped: true, before, sinceFirst: 0, sizes: [] },
    };
    assert.equal(missing({}, {}, { owners: [one], holder: one }), 'bound');
  });

  it('takes tensors that each step replaces by larger ones for growth, in a program with an optimizer', () => {
    const custodyOfOne = { ...CUSTODY, freedBytes: 300, lengths: [2, 2, 2] };
    const list = { type: 'list', length: 2, maxlen: null };
    const of = (
      sizes: number[],
      isOptimized: boolean,
      releases: HolderRelease[] = [],
      container: RecordedOwner['container'] = list,
    ): string => {
      const owner: RecordedOwner = {
        ...OWNER,
        container,
        ...{ allocatedSteps: { first: 49, last: 49, steps: 1 }, custody: custodyOfOne, releases },
      };
      const before = { ...owner, bytes: 80 };
      const one: LineOwner = { owner, bytes: 100, place: PLACE, isMapped: true, before, sinceFirst: 9, sizes };
      return missing({}, { isOptimized }, { owners: [one], holder: one });
    };
    assert.equal(of([60, 80, 100], true), 'retained by chances');
    assert.equal(of([60, 100, 100], true), 'search');
    assert.equal(of([60, 80, 100], false), 'search');
    assert.equal(of([60, 80, 100], true, [RELEASE]), 'release');
    assert.equal(of([60, 80, 100], true, [{ ...RELEASE, isConditional: false }]), 'release', 'in each step');
    const bound = { ...RELEASE, kind: 'bound', value: 512 };
    assert.equal(of([60, 80, 100], true, [bound]), 'retained by chances', 'the list has as many items as before');
    assert.equal(of([60, 80, 100], true, [], null), 'search', 'a tensor of the program, which it may cut in any way');
  });

  it('takes a slot that keeps what several steps put into it for no slot of a ring', () => {
    const before = { ...OWNER, bytes: 50 };
    const of = (steps: number): string => {
      const owner: RecordedOwner = {
        ...OWNER,
        container: { type: 'defaultdict', length: 12, maxlen: null },
        allocatedSteps: { first: 0, last: 48, steps },
        custody: { ...CUSTODY, lengths: [12, 12, 12] },
      };
      const one: LineOwner = { owner, bytes: 100, place: PLACE, isMapped: true, before, sinceFirst: 0, sizes: [] };
      return missing({}, {}, { owners: [one], holder: one });
    };
    assert.equal(of(12), 'bound');
    assert.equal(of(49), 'retained by chances');
  });

  it('waits for no loop of a library, if the holder was made outside of it, but longer than for a single loop', () => {
    const epochs = { file: '/venv/lib/python3.11/site-packages/transformers/trainer.py', line: 1629 };
    const first: Partial<Growth> = { counts: loops([{ place: epochs, rounds: 0 }]), lastStep: 70 };
    assert.equal(missing({ outlivesLoops: true }, first), 'retained by chances');
    assert.equal(missing({ outlivesLoops: true }, { ...first, lastStep: 50 }), 'steps');
    assert.equal(missing({}, first), 'loop');
    assert.equal(missing({ outlivesLoops: true, isDirect: false }, first), 'library');
    assert.equal(missing({ outlivesLoops: true }, { ...first, counts: loops([{ place: PLACE, rounds: 0 }]) }), 'loop');
    const atEpochEnd: HolderRelease = { ...RELEASE, where: 'framework', isConditional: false, hasRun: false };
    assert.equal(missing({ outlivesLoops: true, releases: [atEpochEnd] }, first), 'release');
  });

  it('waits in a single loop for keys that may repeat', () => {
    const container = { type: 'dict', length: 50, maxlen: null };
    assert.equal(missing({ container }, { ...oneLoop, births: { steps: 20, of: 50 } }), 'keys');
    assert.equal(missing({ container, releases: [{ ...RELEASE, kind: 'memo' }] }, oneLoop), 'keys');
    assert.equal(missing({ container }, oneLoop), 'retained by chances');
    assert.equal(missing({ container, releases: [{ ...RELEASE, kind: 'memo' }] }), 'retained by chances');
    const weak = { container, items: { kind: 'weak', type: null }, releases: [{ ...RELEASE, kind: 'memo' }] };
    assert.equal(missing(weak, oneLoop), 'retained by chances');
    const few = { ...oneLoop, births: { steps: 20, of: 50 } };
    assert.equal(missing({ container, items: { kind: 'hook', type: null } }, few), 'retained by chances');
  });

  it('needs no chances for the graph of one result that goes back over steps of an optimizer, if nothing releases it', () => {
    const chain: Partial<RecordedOwner> = { container: null, graphBytes: 90 };
    const late: Partial<Growth> = { counts: loops([{ place: PLACE, rounds: 0 }]) };
    assert.equal(missing(chain, late), 'retained by graph');
    assert.equal(
      missing({ ...chain, releases: [{ ...RELEASE, where: 'uncalled', hasRun: false }] }, late),
      'retained by graph',
    );
    assert.equal(missing({ ...chain, releases: [RELEASE] }, late), 'loop');
    assert.equal(missing(chain, { ...late, isOptimized: false }), 'loop');
    assert.equal(missing({ ...chain, graphBytes: 40 }, late), 'loop');
    assert.equal(missing({ graphBytes: 90 }, late), 'loop', 'each item of a list may end a graph');
    assert.equal(missing({ ...chain, allocatedSteps: { first: 40, last: 49, steps: 10 } }, late), 'loop');
  });

  it('needs no chances for state of an optimizer, most of which is of parameters that it does not update', () => {
    const late: Partial<Growth> = { counts: loops([{ place: PLACE, rounds: 0 }]) };
    const container = { type: 'defaultdict', length: 294, maxlen: null };
    assert.equal(missing({ container, staleKeys: 288 }, late), 'retained by stale');
    assert.equal(missing({ container, staleKeys: 6 }, late), 'loop');
    assert.equal(missing({ container, staleKeys: null }, late), 'loop');
  });

  it('needs no chances for memory that C++ refers to, or that survived two full collections', () => {
    const pinnedBy = { text: 'hook Hook.backward()', place: PLACE };
    const late: Partial<Growth> = { counts: loops([{ place: PLACE, rounds: 0 }]) };
    assert.equal(missing({ kind: 'nativeReference', pinnedBy }, late), 'retained by pinned');
    assert.equal(missing({ kind: 'cycle' }, late), 'searches');
    assert.equal(missing({ kind: 'cycle', custody: { ...CUSTODY, survivedBytes: 90 } }, late), 'retained by survived');
  });
});
