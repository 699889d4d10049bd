/** Who wrote the code of a frame. */
export type FrameKind =
  /** Python that is nobody's library, as far as the path tells. */
  | 'user'
  /** Installed packages, the standard library, PyTorch itself, generated code, the recorder. */
  | 'library'
  /** C, C++, CUDA. */
  | 'native';

const PYTHON_FILE = /\.pyx?$/i;
const INSTALLED = /(^|\/)(site-packages|dist-packages)\//i;
/** `lib/python3.11/…` on Unix, `Python311/Lib/…` and `…/envs/x/Lib/…` on Windows. */
const STANDARD_LIBRARY = /(^|\/)lib\/python\d+(\.\d+)*t?\/|(^|\/)(python\d+|envs\/[^/]+|[a-z]*conda\d?)\/lib\//i;
/** A source tree of PyTorch that is imported in place. */
const TORCH_TREE =
  /(^|\/)torch\/(_[a-z_]+|ao|amp|autograd|backends|cuda|distributed|export|func|fx|jit|nested|nn|onnx|optim|profiler|utils|xpu)(\/|\.py$)/;
const GENERATED = /torchinductor_|(^|\/)fx_generated__|\.py:codegen\(|<eval_with_key>/;
const RECORDER = /(^|\/)leakline_recorder\//;
/** What a person types into a notebook or a prompt has no file, and is theirs all the same. */
const INTERACTIVE = /^<ipython-input-|^<stdin>$|(^|\/)ipykernel_\d+\//;

/** Judges a frame by its file as recorded, with either kind of separator. */
export function frameKind(file: string): FrameKind {
  const path = file.replaceAll('\\', '/');
  if (INTERACTIVE.test(path)) return 'user';
  if (GENERATED.test(path)) return 'library';
  if (path.startsWith('<')) return 'library';
  if (!PYTHON_FILE.test(path)) return 'native';
  if (INSTALLED.test(path) || STANDARD_LIBRARY.test(path) || TORCH_TREE.test(path) || RECORDER.test(path)) {
    return 'library';
  }
  return 'user';
}
