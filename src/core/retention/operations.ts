/**
 * The effects of Python's and PyTorch's containers, methods and functions: one table for the interpreter, the search by
 * names, and the recorder, whose copy `scripts/operations.mts` writes.
 */

/** The effects of methods on the items of one kind of object. */
interface ContainerType {
  /** Functions that make one. */
  readonly madeBy?: string;
  /** The argument that limits its items: its name, and its place. */
  readonly bound?: readonly [name: string, place: number];
  /** Methods that store their last argument; each of its items; a default under a key. */
  readonly put?: string;
  readonly putAll?: string;
  readonly putDefault?: string;
  /** Methods that take some items out, and that take out all. */
  readonly take?: string;
  readonly clear?: string;
  /** Methods that give items and leave them where they are. */
  readonly read?: string;
  /** Methods that register a function. */
  readonly hook?: string;
  /** Methods that add parameters, or whatever has a name. */
  readonly add?: string;
}

/** Metrics of torchmetrics and torcheval that keep each update. */
const CURVES = `AUROC AveragePrecision CalibrationError EER LogAUC PrecisionAtFixedRecall PrecisionRecallCurve ROC
  RecallAtFixedPrecision SensitivityAtSpecificity SpecificityAtSensitivity`;
const CURVE_METRICS = ['', 'Binary', 'Multiclass', 'Multilabel'].flatMap((task) =>
  CURVES.split(/\s+/).map((curve) => task + curve),
);

const CONTAINERS = {
  list: { madeBy: 'list', put: 'append insert', putAll: 'extend', take: 'pop remove', clear: 'clear' },
  deque: {
    madeBy: 'deque',
    bound: ['maxlen', 1],
    put: 'append appendleft insert',
    putAll: 'extend extendleft',
    take: 'pop popleft remove',
    clear: 'clear',
  },
  dict: {
    madeBy: 'dict OrderedDict defaultdict Counter',
    putAll: 'update',
    putDefault: 'setdefault',
    take: 'pop popitem',
    clear: 'clear',
    read: 'get setdefault values items',
  },
  set: { madeBy: 'set', put: 'add', putAll: 'update', take: 'pop remove discard', clear: 'clear' },
  queue: {
    madeBy: 'Queue SimpleQueue LifoQueue PriorityQueue JoinableQueue',
    bound: ['maxsize', 0],
    put: 'put put_nowait',
    take: 'get get_nowait task_done',
  },
  metric: {
    madeBy: `${CURVE_METRICS.join(' ')} CatMetric KendallRankCorrCoef KernelInceptionDistance MeanAveragePrecision
      MetricCollection RetrievalFallOut RetrievalHitRate RetrievalMAP RetrievalMRR RetrievalNormalizedDCG RetrievalPrecision
      RetrievalRecall SpearmanCorrCoef`,
    putAll: 'update',
    take: 'reset',
  },
  weak: { madeBy: 'WeakSet WeakValueDictionary WeakKeyDictionary WeakIdKeyDictionary WeakTensorKeyDictionary' },
  module: {
    madeBy: 'ModuleList ModuleDict ParameterList ParameterDict',
    hook: `register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
      register_backward_hook register_module_forward_hook register_module_forward_pre_hook
      register_module_full_backward_hook register_module_full_backward_pre_hook register_module_backward_hook`,
    add: 'register_buffer register_parameter add_module register_module',
  },
  tensor: { hook: 'register_hook register_post_accumulate_grad_hook' },
  optimizer: { add: 'add_param_group' },
  functools: { clear: 'cache_clear' },
  exitStack: { put: 'enter_context enter_async_context' },
  /** Method names that classes of programs use. */
  own: { put: 'push', take: 'reset truncate drain flush' },
} satisfies Record<string, ContainerType>;

/** Functions that put something into their first argument, take out of it, or both. */
const INTO_FIRST = 'heappush insort insort_left insort_right';
const OUT_OF_FIRST = 'heappop';
const SWAP_IN_FIRST = 'heappushpop heapreplace';

const namesIn = (...texts: readonly (string | undefined)[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text?.trim().split(/\s+/) ?? []));

function methods(...does: readonly Exclude<keyof ContainerType, 'bound'>[]): ReadonlySet<string> {
  const types: readonly ContainerType[] = Object.values(CONTAINERS);
  return namesIn(...types.flatMap((type) => does.map((one) => type[one])));
}

/** Gives items, and leaves them where they are. */
export const READS = methods('read');
/** Stores its last argument into its object; each of its items; a value under a key. */
export const PUTS_IN = methods('put', 'putAll', 'putDefault');
export const PUTS_ALL = methods('putAll');
/** Takes items out. A queue's `get` is not among them: a dictionary's gives. */
export const TAKES_OUT = new Set([...methods('take', 'clear')].filter((name) => !READS.has(name)));
export const QUEUE_TAKES = namesIn(CONTAINERS.queue.take);
export const CLEARS = methods('clear');
/** Registers a function on a module or tensor. */
export const HOOKS = methods('hook');
/** Methods that return the same parts of a module each time. */
export const MODULE_PARTS = /^(?:named_)?(?:parameters|modules|children|buffers)$/;
/** Holds a module's or an optimizer's parameters permanently. */
export const ADDS_PARAMETERS = methods('add');
export const PUTS_IN_FIRST = namesIn(INTO_FIRST);
export const TAKES_FROM_FIRST = namesIn(OUT_OF_FIRST, SWAP_IN_FIRST);
export const SWAPS_IN_FIRST = namesIn(SWAP_IN_FIRST);

/** Functions that return their argument, with additions. */
export const JOINS = namesIn(
  'cat concat concatenate stack vstack hstack dstack row_stack column_stack append extend add update chain lerp',
);
/** Methods of Lightning's modules that reset each metric they are given, after the epoch. */
export const RESETS_LOGGED = namesIn('log log_dict');
/** Functions that return some of their argument's items. */
export const SHORTENS = namesIn('nlargest nsmallest islice deque filter topk');

/** The container that a function makes, by the last part of its name; null for any other function. */
export function madeBy(name: string): { readonly type: keyof typeof CONTAINERS; readonly bound: BoundArgument } | null {
  const last = name.slice(name.lastIndexOf('.') + 1);
  return MADE_BY.get(last) ?? null;
}

type BoundArgument = ContainerType['bound'] | null;

const MADE_BY = new Map(
  Object.entries<ContainerType>(CONTAINERS).flatMap(([type, { madeBy: makers, bound }]) =>
    [...namesIn(makers)].map(
      (maker) => [maker, { type: type as keyof typeof CONTAINERS, bound: bound ?? null }] as const,
    ),
  ),
);

/** The recorder's part of the table, as Python sets by their names. */
export const FOR_RECORDER = {
  GROWING: [...methods('put', 'putAll', 'putDefault', 'hook')],
  GROWING_FIRST: [...namesIn(INTO_FIRST, SWAP_IN_FIRST)],
  RELEASING: [...TAKES_OUT],
  RELEASING_QUEUE: [...QUEUE_TAKES],
  EMPTY: [...MADE_BY].filter(([, { type }]) => type !== 'metric').map(([maker]) => maker),
};

/** The relation of a call's result to its arguments. */
export type CallEffect =
  /** A number, a string or a copy in host memory: holds nothing. */
  | 'plain'
  /** New memory that depends on nothing. */
  | 'make'
  /** The memory of the operand, and its graph. */
  | 'view'
  /** The memory of the operand without its graph. */
  | 'detach'
  /** New memory, and a graph that holds the operands. */
  | 'operation'
  /** New memory, no graph. */
  | 'cut'
  /** New memory for all that is in an object. */
  | 'copy'
  /** A new object that holds its arguments. */
  | 'object'
  /** A copy elsewhere: the graph is held, the memory is not. */
  | 'graphOnly';

/** The effects of methods by name, for unknown objects. */
const METHODS: Partial<Record<CallEffect, string>> = {
  detach: 'detach detach_',
  graphOnly: 'cpu',
  plain: `item tolist numpy size dim ndimension numel nelement element_size get_device data_ptr stride is_contiguous
    is_floating_point join format strip lower upper startswith endswith encode replace keys index count isoformat
    named_children requires_grad with_traceback`,
  view: `view view_as reshape reshape_as transpose permute squeeze unsqueeze flatten unflatten expand expand_as contiguous
    narrow select chunk split unbind t swapaxes swapdims movedim diagonal unfold to cuda float double half bfloat16 type
    type_as requires_grad_ retain_grad values items parameters named_parameters buffers modules named_modules children
    state_dict get copy train eval share_memory_ pin_memory refine_names rename align_to as_subclass data __getitem__
    __iter__ __enter__ unwrap zero_ fill_ normal_ uniform_ clamp_`,
  cut: `argmax argmin argsort eq ne gt lt ge le long int bool byte short isnan isinf isfinite any all nonzero bincount
    histc sign multinomial bernoulli new_zeros new_ones new_empty new_full new_tensor`,
  operation: `clone mean sum square sqrt pow abs exp log log1p sin cos tanh sigmoid relu softmax log_softmax norm var std max
    min prod cumsum cumprod clamp clip add sub mul div matmul mm bmm dot gather scatter index_select masked_fill
    masked_select masked_scatter where lerp neg reciprocal rsqrt round floor ceil triu tril topk sort logsumexp median mode
    cross cat repeat repeat_interleave roll flip amax amin logit erf outer float_power addmm baddbmm index_add scatter_add
    nan_to_num softplus gelu silu kthvalue quantile diff cosine_similarity log_prob entropy rsample pairwise_distance neg_
    relu_`,
};

/** The effects of library functions, by dotted name. */
const FUNCTIONS: Partial<Record<CallEffect, string>> = {
  copy: 'copy.deepcopy',
  plain: `float int bool str repr len format print range isinstance issubclass hasattr hash id type round callable ord chr
    open input divmod sys.exc_info traceback.format_exc traceback.format_exception gc.collect gc.disable weakref.ref
    weakref.proxy weakref.finalize torch.is_tensor torch.numel torch.equal torch.allclose torch.manual_seed torch.device
    torch.save torch.cuda.empty_cache torch.cuda.synchronize`,
  view: `list tuple set dict frozenset sorted reversed zip enumerate iter next map filter max min getattr vars copy.copy
    itertools.chain itertools.cycle itertools.islice tqdm.tqdm tqdm.auto.tqdm tqdm tqdm.trange torch.reshape torch.squeeze
    torch.unsqueeze torch.flatten torch.transpose torch.permute torch.chunk torch.split torch.unbind torch.narrow
    collections.OrderedDict collections.Counter types.SimpleNamespace argparse.Namespace asdict dataclasses.asdict`,
  make: `torch.rand torch.randn torch.randint torch.randperm torch.zeros torch.ones torch.empty torch.full torch.arange
    torch.linspace torch.logspace torch.eye torch.tensor torch.as_tensor torch.from_numpy torch.zeros_like torch.ones_like
    torch.empty_like torch.full_like torch.rand_like torch.randn_like torch.randint_like torch.normal torch.load
    torch.Tensor torch.FloatTensor torch.LongTensor torch.cuda.FloatTensor torch.Generator torch.bernoulli
    torch.multinomial`,
  cut: `torch.argmax torch.argmin torch.argsort torch.eq torch.ne torch.gt torch.lt torch.ge torch.le torch.isnan
    torch.isinf torch.isfinite torch.any torch.all torch.nonzero torch.bincount torch.histc torch.sign
    torch.nn.functional.one_hot`,
  operation: 'sum abs pow math.prod functools.reduce statistics.mean',
  object: 'functools.partial concurrent.futures.submit slice property',
};

function byName(table: Partial<Record<CallEffect, string>>): ReadonlyMap<string, CallEffect> {
  return new Map(
    Object.entries(table).flatMap(([effect, names]) => [...namesIn(names)].map((name) => [name, effect as CallEffect])),
  );
}

const METHOD_EFFECTS = byName(METHODS);
const FUNCTION_EFFECTS = byName(FUNCTIONS);

/** Packages whose functions give host memory or texts. */
const HOST_PACKAGES =
  /^(?:numpy|np|math|random|time|os|sys|json|re|logging|wandb|tensorboard\w*|PIL|cv2|pandas|scipy|sklearn|datetime|pathlib|csv|pickle|statistics|string|textwrap|pprint|matplotlib)(?:\.|$)/;

/** More packages whose functions call methods by Python's and PyTorch's own names alone. */
const CALL_KNOWN_NAMES =
  /^(?:torch|torchvision|threading|queue|multiprocessing|concurrent|functools|itertools|collections|contextlib|copy|weakref|atexit|asyncio|signal|gc|heapq|bisect|warnings|traceback|types|inspect|argparse)(?:\.|$)/;

/** True if a package may call methods of an object that it is given by any name. */
export function callsAnyName(name: string): boolean {
  return !HOST_PACKAGES.test(name) && !CALL_KNOWN_NAMES.test(name);
}

/** The effect of a library function, by its dotted name; null if unknown. */
export function functionEffect(name: string): CallEffect | null {
  const known = FUNCTION_EFFECTS.get(name);
  if (known !== undefined) return known;
  if (/^[A-Z]/.test(name.slice(name.lastIndexOf('.') + 1)) || name.startsWith('torch.optim.')) return 'object';
  if (/^torch\.(?:cuda|distributed)\./.test(name)) return 'plain';
  if (name.startsWith('torch.')) return 'operation';
  return HOST_PACKAGES.test(name) ? 'plain' : null;
}

/** The effect of a method by name, for an unknown object; null if unknown. */
export function methodEffect(name: string): CallEffect | null {
  return METHOD_EFFECTS.get(name) ?? null;
}

/** Attributes of tensors that hold nothing, and those that share memory. */
export const PLAIN_ATTRIBUTES = namesIn(
  'shape dtype device ndim is_cuda requires_grad is_leaf layout __name__ __doc__ __class__ training',
);
export const VIEW_ATTRIBUTES = namesIn('T mT H mH real imag');

/** Modules' own ways of running, whatever object they are called on. */
export const RUNS_MODULE = namesIn(
  'forward loss compute_loss get_loss calculate_loss training_step encode embed predict apply',
);

export const BUILTINS =
  namesIn(`float int bool str repr len format print range isinstance issubclass hasattr hash id type
  round callable ord chr open input divmod list tuple set dict frozenset sorted reversed zip enumerate iter next map filter
  max min getattr vars sum abs pow super slice property any all setattr object bytes bytearray memoryview staticmethod
  classmethod Exception RuntimeError ValueError TypeError KeyError IndexError StopIteration NotImplementedError`);

/** Contexts and decorators in which no graph is made. */
export const WITHOUT_GRAPH =
  /^torch\.(?:no_grad|inference_mode|autograd\.no_grad|autograd\.grad_mode\.no_grad|autograd\.inference_mode)$/;
export const AUTOCAST = /^torch\.(?:autocast|(?:cuda|cpu)\.amp\.autocast|amp\.autocast|amp\.autocast_mode\.autocast)$/;
export const CACHES = /^functools\.(?:lru_cache|cache)$/;
/** Makes a generator a context manager: the block gets its yielded value. */
export const MAKES_CONTEXT = /^contextlib\.(?:async)?contextmanager$/;
/** A dataclass's attribute, and how it is made. */
export const FIELD = 'dataclasses.field';
