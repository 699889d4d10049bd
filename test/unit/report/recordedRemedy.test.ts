import assert from 'node:assert/strict';
import type { HolderRelease, RecordedOwner } from '../../../src/core/model/recording.js';
import { recordedRemedy } from '../../../src/core/report/remedy/recordedRemedy.js';
import type { Custody } from '../../../src/core/verdict/custody.js';
import { BLANK_OWNER } from '../../support/blankOwner.js';

const OWNER: RecordedOwner = {
  ...BLANK_OWNER,
  ...{ kind: 'attribute', name: 'report.curve.target', place: null, bytes: 100, releases: [] },
};

const RESET: HolderRelease = {
  ...{ file: 'torchmetrics/metric.py', line: 758, function: 'Metric.reset', kind: 'method', where: 'uncalled' },
  ...{ isConditional: false, value: null, runs: null, hasRun: false },
};

const RETAINED: Custody = {
  ...{ isRetained: true, by: 'chances', searches: 5, steps: 40, heldBytes: 100, missed: RESET, also: [] },
  ...{ loops: [], roundOf: { file: 'src/train.py', line: 9 }, isOutsideNetworks: true },
};

function remedy(owner: Partial<RecordedOwner>, custody: Custody | null = null, isFilledFaster = false): string {
  const one = {
    owner: { ...OWNER, ...owner },
    bytes: 100,
    place: null,
    isMapped: false,
    before: null,
    sinceFirst: null,
  };
  return recordedRemedy(one, custody, isFilledFaster).text;
}

describe('The remedy for a holder that the recorder saw', () => {
  it('is to call the release that nothing calls, at the end of each round that allocates', () => {
    assert.equal(
      remedy({}, RETAINED),
      'Call report.curve.reset() (metric.py:758) at the end of each round of the loop at train.py:9.',
    );
    assert.equal(
      remedy({ name: 'FeatureBank.cells' }, { ...RETAINED, roundOf: null }),
      'Call FeatureBank.reset() (metric.py:758) when its items are no longer needed.',
    );
  });

  it('is to check the calls of a release that ran and freed nothing', () => {
    const missed = { ...RESET, where: 'loop', hasRun: true };
    assert.equal(
      remedy({}, { ...RETAINED, missed }),
      'Check that reset() (metric.py:758) is called for report.curve, and with the right arguments: its calls free nothing.',
    );
  });

  it('is to call a method of a library’s class, though the library calls it for itself', () => {
    const releases = [{ ...RESET, where: 'loop', hasRun: true }];
    const file = '/env/lib/python3.11/site-packages/torchmetrics/metric.py';
    const loops = [{ place: { file: 'src/train.py', line: 9 }, rounds: 4 }];
    const retained = { ...RETAINED, missed: null, roundOf: null, loops };
    assert.equal(
      remedy({ releases: releases.map((one) => ({ ...one, file })) }, retained),
      'Call report.curve.reset() (torchmetrics/metric.py:758) at the end of each round of the loop at train.py:9.',
    );
    assert.match(remedy({ releases: releases.map((one) => ({ ...one, file: '/app/bank.py' })) }, retained), /^Clear/);
  });

  it('is to reset a metric, or to keep its states on the CPU', () => {
    const metric = { name: 'auroc.preds', items: { kind: 'metric', type: null } };
    assert.match(remedy(metric), /^Compute and reset auroc more often, or pass it compute_on_cpu=True:/);
  });

  it('says what the iterators of itertools keep, and the records of a logger', () => {
    const of = (kind: string, type: string | null = null): string => remedy({ name: 'stream', items: { kind, type } });
    assert.match(of('cycle'), /^Use a generator \(while True: yield from loader\) instead of itertools\.cycle/);
    assert.match(of('tee'), /^Take from both iterators of itertools\.tee at the same rate, or make two: stream keeps/);
    assert.match(of('object', 'LogRecord'), /^Log numbers or texts instead of tensors: each LogRecord in stream /);
  });

  it('is to do what a function that nothing calls does, but not one that runs at the end', () => {
    const clears = (name: string): Partial<RecordedOwner> => ({
      name: 'Tagger.outputs',
      releases: [{ ...RESET, file: 'tagger.py', line: 43, function: name, kind: 'clear', where: 'framework' }],
    });
    const retained = { ...RETAINED, missed: null };
    assert.equal(
      remedy(clears('Tagger.on_training_epoch_end'), retained),
      'Clear Tagger.outputs as on_training_epoch_end() (tagger.py:43) does: nothing has called it.',
    );
    assert.match(remedy(clears('Tagger.on_train_end'), retained), /^Clear Tagger.outputs after use/);
    assert.match(remedy(clears('Tagger.on_training_epoch_end')), /^Clear Tagger.outputs after use/, 'not proved');
  });

  it('is to remove tasks that are done', () => {
    assert.equal(
      remedy({ name: 'Server.jobs', items: { kind: 'object', type: 'Task' } }),
      'Remove each Task from Server.jobs when it is done, as with add_done_callback(): it keeps its result.',
    );
  });

  it('is to detach values whose graph holds the memory, though a release exists', () => {
    assert.match(remedy({ graphBytes: 90 }, RETAINED), /^Store only what is needed, without its graph/);
  });

  it('is a weak reference in a hook that C++ holds', () => {
    const pinnedBy = { text: 'hook f()', place: { file: 'a/core.py', line: 113 } };
    assert.equal(
      remedy({ kind: 'cycle', name: 'cycle Grads.activations → [*] → Tensor._backward_hooks', pinnedBy }),
      'Use weakref.ref in the hook at core.py:113, which keeps Grads.activations alive.',
    );
  });

  it('is to reset the attribute of a tensor that leads back to it through C++', () => {
    const pinnedBy = { text: 'node of autograd', place: null };
    assert.equal(
      remedy({ kind: 'cycle', name: 'cycle Tensor.update → its graph', pinnedBy }),
      'Set Tensor.update to None after use: it leads back to its tensor.',
    );
    assert.match(
      remedy({ kind: 'cycle', name: 'cycle Tensor.grad → its graph', pinnedBy }),
      /^Use torch\.autograd\.grad\(\.\.\., create_graph=True\)/,
    );
  });

  it('is to close an exit stack, and to cut a linked list', () => {
    const container = { type: 'deque', length: 9, maxlen: null };
    assert.equal(
      remedy({ kind: 'closure', name: 'Server.resources', container, items: { kind: 'exit', type: null } }),
      'Close Server.resources in each round, or use one for each: it keeps what its callbacks need.',
    );
    assert.equal(
      remedy({ kind: 'linked', name: 'Version.previous' }),
      'Set Version.previous to None behind the objects that are still needed.',
    );
  });

  it('follows the kind of the holder', () => {
    const queue = { name: 'rows.queue', items: { kind: 'object', type: 'Batch' } };
    assert.equal(remedy(queue, null, true), 'Cap the size of rows.queue, or empty it faster.');
    assert.match(
      remedy({ name: 'stack', items: { kind: 'exit', type: null } }, null, true),
      /^Close stack in each round/,
    );
    assert.match(remedy({ kind: 'hook' }, null, true), /^Register the hook once/);
    assert.match(remedy({ kind: 'cached' }), /^Cap the cache/);
    assert.match(remedy({ kind: 'cached', name: 'cache of main.<locals>.mask()' }), /^Cap the cache/);
    assert.match(remedy({ kind: 'cached', name: 'cache of Batch.mask()' }), /^Use functools\.cached_property/);
    assert.match(remedy({ kind: 'traceback' }), /^Keep the text/);
    assert.match(remedy({ kind: 'default', name: 'rows' }), /^Use None as the default of rows/);
    assert.match(remedy({ kind: 'native' }), /^Enter autocast again/);
    assert.equal(
      remedy({ kind: 'cycle', name: 'cycle Node.parent → Node.children → [*]' }),
      'Make Node.parent a weakref.ref, or set it to None when done.',
    );
    assert.equal(
      remedy({ kind: 'cycle', name: 'cycle Engine._event_handlers → [*] → [1] → [0]' }),
      'Store weakref.ref(self) in Engine._event_handlers instead of self, or clear Engine._event_handlers when done.',
    );
    assert.match(
      remedy({ kind: 'cycle', name: 'cycle .__self__ → Metric.update' }),
      /^Delete the objects after use, then call gc\.collect\(\)/,
    );
    assert.equal(
      remedy({ name: 'tensor_name', items: { kind: 'key', type: null } }),
      'Use a key in tensor_name that is no tensor, such as a name or id(tensor), or clear it.',
    );
    const state = 'Delete the state of each parameter that is replaced: del model.optimizer.state[parameter].';
    assert.equal(remedy({ name: 'model.optimizer.state', items: { kind: 'state', type: null } }), state);
    assert.equal(remedy({ name: 'model.optimizer.state', staleKeys: 9 }), state);
    assert.equal(
      remedy({ name: 'opt.param_groups', items: { kind: 'group', type: null }, staleKeys: 0 }),
      'Add parameters to opt.param_groups once: a group keeps its parameters, with their gradients and state.',
    );
    assert.match(remedy({ name: 'finalize._registry' }), /^Give weakref\.finalize a function that/);
    const items = (kind: string, type: string | null) => remedy({ name: 'rows', items: { kind, type } });
    assert.equal(
      items('object', 'Trainer'),
      'Store only what is needed of each Trainer in rows, cap its size, or clear it after use.',
    );
    assert.equal(
      items('method', 'Evaluator'),
      'Remove each method of Evaluator from rows when its object is no longer needed.',
    );
    assert.equal(
      items('view', null),
      'Store copies in rows (.clone()), or clear it after use: a view keeps the whole tensor.',
    );
    assert.equal(
      items('weak', null),
      'Store values in rows that do not refer to their keys: an entry ends only with its key.',
    );
    assert.equal(items('function', null), 'Remove each function from rows when it is no longer needed.');
    assert.equal(
      remedy({ name: 'rows' }),
      'Clear rows after use, cap its size, or store CPU copies (.detach().cpu()).',
    );
  });
});
