/** What calls of Python's and PyTorch's own do with what they are given. */

/** How a call's result relates to what went in. */
export type CallEffect =
  /** A number, a text, a copy in host memory: nothing is kept. */
  | 'plain'
  /** New memory that depends on nothing. */
  | 'make'
  /** The same memory, and its graph. */
  | 'view'
  /** The same memory without the graph. */
  | 'detach'
  /** New memory, and a graph that keeps the operands. */
  | 'operation'
  /** New memory, no graph. */
  | 'cut'
  /** New memory for all that is in an object. */
  | 'copy'
  /** A new object that keeps what it is given. */
  | 'object'
  /** A copy elsewhere: the graph is kept, the memory is not. */
  | 'graphOnly';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const PLAIN_METHODS =
  words(`item tolist numpy size dim ndimension numel nelement element_size get_device data_ptr stride
  is_contiguous is_floating_point join format strip lower upper startswith endswith encode replace keys index count
  isoformat named_children requires_grad with_traceback`);
const VIEW_METHODS = words(`view view_as reshape reshape_as transpose permute squeeze unsqueeze flatten unflatten expand
  expand_as contiguous narrow select chunk split unbind t swapaxes swapdims movedim diagonal unfold to cuda float double half
  bfloat16 type type_as requires_grad_ retain_grad values items parameters named_parameters buffers modules named_modules
  children state_dict get copy train eval share_memory_ pin_memory refine_names rename align_to as_subclass data
  __getitem__ __iter__ __enter__ unwrap zero_ fill_ normal_ uniform_ clamp_`);
const CUT_METHODS = words(`argmax argmin argsort eq ne gt lt ge le long int bool byte short isnan isinf isfinite any all
  nonzero bincount histc sign multinomial bernoulli new_zeros new_ones new_empty new_full new_tensor`);

const PLAIN_FUNCTIONS = words(`float int bool str repr len format print range isinstance issubclass hasattr hash id type
  round callable ord chr open input divmod sys.exc_info traceback.format_exc traceback.format_exception gc.collect
  weakref.ref weakref.proxy weakref.finalize torch.is_tensor torch.numel torch.equal torch.allclose
  torch.manual_seed torch.device torch.save torch.cuda.empty_cache torch.cuda.synchronize`);
const VIEW_FUNCTIONS = words(`list tuple set dict frozenset sorted reversed zip enumerate iter next map filter max min
  getattr vars copy.copy itertools.chain itertools.cycle itertools.islice tqdm.tqdm tqdm.auto.tqdm tqdm tqdm.trange
  torch.reshape torch.squeeze torch.unsqueeze torch.flatten torch.transpose torch.permute torch.chunk torch.split
  torch.unbind torch.narrow collections.OrderedDict collections.Counter types.SimpleNamespace argparse.Namespace asdict
  dataclasses.asdict`);
const MAKE_FUNCTIONS = words(`torch.rand torch.randn torch.randint torch.randperm torch.zeros torch.ones torch.empty
  torch.full torch.arange torch.linspace torch.logspace torch.eye torch.tensor torch.as_tensor torch.from_numpy
  torch.zeros_like torch.ones_like torch.empty_like torch.full_like torch.rand_like torch.randn_like torch.randint_like
  torch.normal torch.load torch.Tensor torch.FloatTensor torch.LongTensor torch.cuda.FloatTensor torch.Generator
  torch.bernoulli torch.multinomial`);
const CUT_FUNCTIONS = words(`torch.argmax torch.argmin torch.argsort torch.eq torch.ne torch.gt torch.lt torch.ge
  torch.le torch.isnan torch.isinf torch.isfinite torch.any torch.all torch.nonzero torch.bincount torch.histc torch.sign
  torch.nn.functional.one_hot`);
const OPERATION_FUNCTIONS = words('sum abs pow math.prod functools.reduce statistics.mean');
const OBJECT_FUNCTIONS = words('functools.partial concurrent.futures.submit slice property');
/** Packages whose functions give host memory or texts. */
const HOST_PACKAGES =
  /^(?:numpy|np|math|random|time|os|sys|json|re|logging|wandb|tensorboard\w*|PIL|cv2|pandas|scipy|sklearn|datetime|pathlib|csv|pickle|statistics|string|textwrap|pprint|matplotlib)(?:\.|$)/;

/** What a function of a library does, by its dotted name; null where that is not known. */
export function functionEffect(name: string): CallEffect | null {
  if (name === 'copy.deepcopy') return 'copy';
  if (PLAIN_FUNCTIONS.has(name)) return 'plain';
  if (VIEW_FUNCTIONS.has(name)) return 'view';
  if (MAKE_FUNCTIONS.has(name)) return 'make';
  if (CUT_FUNCTIONS.has(name)) return 'cut';
  if (OPERATION_FUNCTIONS.has(name)) return 'operation';
  if (OBJECT_FUNCTIONS.has(name)) return 'object';
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (/^[A-Z]/.test(last)) return 'object';
  if (name.startsWith('torch.optim.')) return 'object';
  if (name.startsWith('torch.cuda.') || name.startsWith('torch.distributed.')) return 'plain';
  if (name.startsWith('torch.')) return 'operation';
  if (HOST_PACKAGES.test(name)) return 'plain';
  return null;
}

/** What a method does, by its name, for objects of which nothing else is known; null where that is not known. */
export function methodEffect(name: string): CallEffect | null {
  if (name === 'detach' || name === 'detach_') return 'detach';
  if (name === 'cpu') return 'graphOnly';
  if (name === 'clone') return 'operation';
  if (PLAIN_METHODS.has(name)) return 'plain';
  if (VIEW_METHODS.has(name)) return 'view';
  if (CUT_METHODS.has(name)) return 'cut';
  if (OPERATION_METHODS.has(name)) return 'operation';
  return null;
}

const OPERATION_METHODS =
  words(`mean sum square sqrt pow abs exp log log1p sin cos tanh sigmoid relu softmax log_softmax
  norm var std max min prod cumsum cumprod clamp clip add sub mul div matmul mm bmm dot gather scatter index_select
  masked_fill masked_select masked_scatter where lerp neg reciprocal rsqrt round floor ceil triu tril topk sort logsumexp
  median mode cross cat repeat repeat_interleave roll flip amax amin logit erf outer float_power addmm baddbmm
  index_add scatter_add nan_to_num softplus gelu silu kthvalue quantile diff cosine_similarity log_prob entropy rsample
  pairwise_distance neg_ relu_`);

/** Modules' own ways of running, whatever object they are called on. */
export const RUNS_MODULE = words(
  'forward loss compute_loss get_loss calculate_loss training_step encode embed predict apply',
);

/** Puts its last argument into the container it is called on. */
export const PUTS_IN = words(
  'append appendleft add insert put put_nowait push extend setdefault update add_scalar_tensor',
);
/** Lets go of items. */
export const TAKES_OUT = words('clear pop popleft popitem remove discard get_nowait task_done reset truncate');
/** Registers a function that a module or tensor keeps. */
export const HOOK =
  /^(?:register_(?:forward_hook|forward_pre_hook|full_backward_hook|full_backward_pre_hook|backward_hook|hook|post_accumulate_grad_hook|module_forward_hook)|register_module_\w+_hook)$/;
/** Keeps a module's or an optimizer's parameters for good. */
export const ADDS_PARAMETERS = words('add_param_group register_buffer register_parameter add_module');

export const BUILTINS = words(`float int bool str repr len format print range isinstance issubclass hasattr hash id type
  round callable ord chr open input divmod list tuple set dict frozenset sorted reversed zip enumerate iter next map filter
  max min getattr vars sum abs pow super slice property any all setattr object bytes bytearray memoryview staticmethod
  classmethod Exception RuntimeError ValueError TypeError KeyError IndexError StopIteration NotImplementedError`);

/** Contexts and decorators in which no graph is made. */
export const WITHOUT_GRAPH =
  /^torch\.(?:no_grad|inference_mode|autograd\.no_grad|autograd\.grad_mode\.no_grad|autograd\.inference_mode)$/;
export const AUTOCAST = /^torch\.(?:autocast|(?:cuda|cpu)\.amp\.autocast|amp\.autocast|amp\.autocast_mode\.autocast)$/;
export const CACHES = /^functools\.(?:lru_cache|cache)$/;
/** Hands what autograd saves for the backward pass to functions. */
export const SAVES_TENSORS = /^torch\.autograd\.graph\.saved_tensors_hooks$/;
/** Runs a function on the arguments behind it. */
export const RUNS_FUNCTION = /^torch\.utils\.checkpoint\.checkpoint$/;
/** Gives what it is given, made faster. */
export const COMPILES = /^torch\.(?:compile|jit\.script|jit\.optimize_for_inference)$/;
/** Makes a generator a context: what it yields is what the block is given. */
export const MAKES_CONTEXT = /^contextlib\.(?:async)?contextmanager$/;
/** A dataclass's attribute, and how it is made. */
export const FIELD = 'dataclasses.field';
