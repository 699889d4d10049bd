/** The remedy for a holder that the recorder saw, from what holds the memory and what could release it. */
import { holderName } from '../../facts/holderName.js';
import { isMostlyGraph, type LineOwner } from '../../facts/recordedFacts.js';
import { recordedKind } from '../../model/recordedFile.js';
import type { HolderRelease, RecordedItems, RecordedPlace } from '../../model/recording.js';
import { runsAtTheEnd } from '../../retention/names/atTheEnd.js';
import { nameAndLine } from '../../text/pathText.js';
import { t } from '../../text/translate.js';
import { type Custody, isUncalled } from '../../verdict/custody.js';
import { remedyText } from './remedyTexts.js';

/** A remedy, and whether it is more precise than one from the source. */
interface RecordedRemedy {
  readonly text: string;
  readonly isExact: boolean;
  /** The call that is missing. */
  readonly call?: string;
}

/** @param isFilledFaster than it is emptied @returns the remedy for a proved leak or a cycle */
export function recordedRemedy(
  { owner, place }: Pick<LineOwner, 'owner' | 'place'>,
  custody: Custody | null,
  isFilledFaster = false,
): RecordedRemedy {
  const plain = (text: string): RecordedRemedy => ({ text, isExact: false });
  const exact = (text: string): RecordedRemedy => ({ text, isExact: true });
  const { kind, name, pinnedBy } = owner;
  // The gradients of its keys are held by the state, too.
  const items = (owner.staleKeys ?? 0) > 0 ? { kind: 'state', type: null } : owner.items;
  const hook = pinnedBy?.place ?? null;
  if (name === 'finalize._registry')
    return exact(t('Give weakref.finalize a function that does not refer to its object: a method keeps it.'));
  if (hook !== null)
    return exact(t('Use weakref.ref in the hook at {0}, which keeps {1} alive.', nameAndLine(hook), attributeOf(name)));
  const isGraph = isMostlyGraph(owner);
  if (custody?.isRetained === true && custody.missed !== null && !isGraph)
    return missedCall(name, custody.missed, custody.roundOf);
  switch (kind) {
    case 'hook':
      return exact(remedyText('hook'));
    case 'nativeReference':
      return plain(remedyText('selfHook'));
    case 'cached':
      // A method has the name of its class before its own.
      return /\w\.\w+\(\)$/.test(name) ? exact(remedyText('methodCache')) : plain(remedyText('cache'));
    case 'default':
      return exact(remedyText('default', name));
    case 'linked':
      return exact(t('Set {0} to None behind the objects that are still needed.', name));
    case 'traceback':
      return plain(remedyText('error', 'error'));
    case 'native':
      return plain(remedyText('autocast'));
    case 'cycle':
      if (pinnedBy !== null) {
        if (attributeOf(name) === 'Tensor.grad_fn.saved_tensors') return exact(remedyText('savedTensor'));
        return attributeOf(name) === 'Tensor.grad'
          ? plain(remedyText('doubleBackward'))
          : exact(t('Set {0} to None after use: it leads back to its tensor.', attributeOf(name)));
      }
      if (isOfLibrary(name, place)) return plain(remedyText('libraryCycle'));
      // The items of a container refer to the object that has it.
      return plain(
        /^cycle \S+ → \[/.test(name)
          ? t('Store weakref.ref(self) in {0} instead of self, or clear {0} when done.', attributeOf(name))
          : remedyText('cycle', attributeOf(name)),
      );
    default:
      if (isGraph) return plain(remedyText('graph'));
      if (custody?.isRetained === true) {
        const unrun = owner.releases?.find(hasNotRun);
        if (unrun !== undefined) return exact(unrunText(holderName(name), unrun));
        const method = owner.releases?.find(isOfLibraryClass);
        if (method !== undefined) return call(name, method, custody.roundOf ?? custody.loops.at(-1)?.place ?? null);
      }
      // Views, callbacks and keys have advice that says more.
      if (isFilledFaster && (items === null || items.kind === 'object'))
        return exact(t('Cap the size of {0}, or empty it faster.', holderName(name)));
      return items === null
        ? plain(remedyText('container', holderName(name)))
        : exact(itemsText(items, holderName(name)));
  }
}

/** True for a statement that empties the holder, in a function that had its turn and was not called. */
function hasNotRun({ kind, where, hasRun, function: name }: HolderRelease): boolean {
  return kind === 'clear' && where !== 'outside' && hasRun === false && !runsAtTheEnd(methodOf(name));
}

function methodOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function unrunText(holder: string, release: HolderRelease): string {
  const method = `${methodOf(release.function)}()`;
  return t('Clear {0} as {1} ({2}) does: nothing has called it.', holder, method, nameAndLine(release));
}

/** A method of a library's class, which the library may call for itself: `reset()` of a metric. */
function isOfLibraryClass({ kind, file }: HolderRelease): boolean {
  return kind === 'method' && recordedKind(file) === 'library';
}

/** @param loop whose rounds have each allocated some of it */
function missedCall(holder: string, release: HolderRelease, loop: RecordedPlace | null): RecordedRemedy {
  if (isUncalled(release)) return call(holder, release, loop);
  const text = t(
    'Check that {0} ({1}) is called for {2}, and with the right arguments: its calls free nothing.',
    `${methodOf(release.function)}()`,
    nameAndLine(release),
    objectOf(holder),
  );
  return { text, isExact: true };
}

function call(holder: string, release: HolderRelease, loop: RecordedPlace | null): RecordedRemedy {
  const missing = `${objectOf(holder)}.${methodOf(release.function)}()`;
  const at = nameAndLine(release);
  const text =
    loop === null
      ? t('Call {0} ({1}) when its items are no longer needed.', missing, at)
      : t('Call {0} ({1}) at the end of each round of the loop at {2}.', missing, at, nameAndLine(loop));
  return { text, isExact: true, call: missing };
}

/** `curve` of `curve.preds` */
function objectOf(holder: string): string {
  return /^(.*\w)\.\w+(?:\[.*)?$/.exec(holder)?.[1] ?? holder;
}

/** Items that are not tensors have no copy on the CPU. */
function itemsText({ kind, type }: RecordedItems, holder: string): string {
  if (kind === 'key')
    return t('Use a key in {0} that is no tensor, such as a name or id(tensor), or clear it.', holder);
  if (kind === 'state')
    return t(
      'Delete the state of each parameter that is replaced: del {0}[parameter].',
      holder.replace(/(?:\.state)?$/, '.state'),
    );
  if (kind === 'group')
    return t('Add parameters to {0} once: a group keeps its parameters, with their gradients and state.', holder);
  if (kind === 'array' || kind === 'view')
    return t(
      'Store copies in {0} ({1}), or clear it after use: a view keeps the whole tensor.',
      holder,
      kind === 'array' ? 'array.copy()' : '.clone()',
    );
  if (kind === 'weak')
    return t('Store values in {0} that do not refer to their keys: an entry ends only with its key.', holder);
  if (kind === 'cycle')
    return t(
      'Use a generator (while True: yield from loader) instead of itertools.cycle, which keeps all items of its first pass.',
    );
  if (kind === 'tee')
    return t(
      'Take from both iterators of itertools.tee at the same rate, or make two: {0} keeps what the other one has taken.',
      holder,
    );
  if (kind === 'metric')
    return t(
      'Compute and reset {0} more often, or pass it compute_on_cpu=True: it keeps what it was given until then.',
      objectOf(holder),
    );
  if (kind === 'exit')
    return t('Close {0} in each round, or use one for each: it keeps what its callbacks need.', holder);
  if (kind === 'object' && (type === 'Task' || type === 'Future'))
    return t(
      'Remove each {0} from {1} when it is done, as with add_done_callback(): it keeps its result.',
      type,
      holder,
    );
  if (kind === 'object' && type === 'LogRecord')
    return t('Log numbers or texts instead of tensors: each {0} in {1} keeps the arguments of its call.', type, holder);
  if (kind === 'object' && type !== null)
    return t('Store only what is needed of each {0} in {1}, cap its size, or clear it after use.', type, holder);
  return type === null
    ? t('Remove each function from {0} when it is no longer needed.', holder)
    : t('Remove each method of {0} from {1} when its object is no longer needed.', type, holder);
}

/** True for a cycle of references that a library makes. */
function isOfLibrary(name: string, place: RecordedPlace | null): boolean {
  return place === null ? name.startsWith('cycle .') : recordedKind(place.file) === 'library';
}

/** `Node.parent` of `cycle Node.parent → Node.children → [*]` */
function attributeOf(name: string): string {
  return /^cycle (\S+)/.exec(name)?.[1] ?? name;
}
