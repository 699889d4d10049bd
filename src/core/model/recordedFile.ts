/** The kind of a file, by its name alone. */

/**
 * - `user`: a Python source file that may belong to the user
 * - `interactive`: typed into a notebook or at a prompt; the name does not show its place
 * - `library`: an installed package, the standard library, PyTorch's source tree, or the recorder
 * - `generated`: code without a source file (torch.compile, `exec`)
 * - `native`: C, C++ and other languages
 */
export type RecordedKind = 'user' | 'interactive' | 'library' | 'generated' | 'native';

const PYTHON = /\.py[wxi]?$/i;
const INTERACTIVE =
  /^<(?:ipython-input-|command-|cell|stdin>)|^vscode-notebook-cell:|(?:^|[\\/])ipykernel_\d+[\\/]\d+\.py$/;

/** Whole components; a folder that is merely named alike (`my_site-packages`) is not one. */
const LIBRARY_FOLDER =
  /[\\/](?:site-packages|dist-packages|leakline_recorder|recorder[\\/]leakline|(?:python|pypy)\d[^\\/]*\.zip|lib(?:64)?[\\/](?:python|pypy)\d+(?:\.\d+)?t?)[\\/]/i;
/** Windows has the standard library in `Lib` beside the interpreter, in a folder named after it or the environment. */
const WINDOWS_LIBRARY =
  /[\\/](?:[^\\/]*(?:python|pypy|conda|miniforge|mambaforge)[^\\/]*|envs[\\/][^\\/]+)[\\/]lib[\\/]/i;

/** A source tree of PyTorch that is imported in place. */
const TORCH_TREE =
  /(?:^|[\\/])torch[\\/](?:_[a-z_]+|ao|amp|autograd|backends|cuda|distributed|export|func|functional|fx|jit|nested|nn|onnx|optim|profiler|utils|xpu)(?:[\\/]|\.py$)/;

/** Inductor's cache and Triton's, torch.fx's generated modules; the cache folder may be anywhere. */
const GENERATED =
  /(?:^|[\\/])(?:torchinductor_[^\\/]*[\\/].*|torch_compile_debug[\\/].*|fx_generated__[^\\/]*\.py|[a-z0-9]{2}[\\/]c[a-z2-7]{51}\.py)$/;

/** File and function of the stacks that a snapshot has too many of, see `boundedStacks`. */
export const SMALLER_STACKS = '<smaller stacks>';

/** Kinds by name: the stacks of a run repeat file names. */
const known = new Map<string, RecordedKind>();
const MAX_KNOWN = 1 << 16;

/** Finds the kind of a recorded file name. */
export function recordedKind(file: string): RecordedKind {
  let kind = known.get(file);
  if (kind === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(file, (kind = kindOf(file)));
  }
  return kind;
}

function kindOf(file: string): RecordedKind {
  // Most of them may be a user's, and their name does not show a place.
  if (INTERACTIVE.test(file) || file === SMALLER_STACKS) return 'interactive';
  if (file.startsWith('<')) return file.startsWith('<frozen') ? 'library' : 'generated';
  if (file.includes('.py:')) return 'generated'; // `subclass_codegen.py:codegen(compiled_function_forward)`
  if (!PYTHON.test(file)) return 'native';
  if (GENERATED.test(file)) return 'generated';
  if (LIBRARY_FOLDER.test(file) || TORCH_TREE.test(file) || (isWindowsPath(file) && WINDOWS_LIBRARY.test(file)))
    return 'library';
  return 'user';
}

/** True if `file` was named on Windows: separators are `\`, and letter case means nothing. */
export function isWindowsPath(file: string): boolean {
  return /^[A-Za-z]:(?:[\\/]|$)/.test(file) || (file.includes('\\') && !file.startsWith('/'));
}
