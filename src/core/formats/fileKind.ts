/** The kind of a frame's file, for the order of stacks and the meaning of lines. */
type FileKind =
  | 'python'
  /** C, C++ and other compiled code, by its source file or not known at all (`??`). */
  | 'native'
  /** A program or shared library: its line is an offset. */
  | 'binary';

/** `x.py`, `<frozen importlib._bootstrap>`, `<ipython-input-3-…>`, `subclass_codegen.py:codegen(…)`. */
const PYTHON = /\.pyw?$|^<|\.py:/i;
const NATIVE_SOURCE = /\.(?:c|cc|cpp|cxx|cu|cuh|h|hh|hpp|hxx|inc|inl|ipp|m|mm|rs|s|pyx|pxd|pxi)$/i;

/** Judges a file name as a frame carries it. The empty name, of built-in functions, goes with the Python around it. */
export function fileKind(file: string): FileKind {
  if (file === '' || PYTHON.test(file)) return 'python';
  return file === '??' || NATIVE_SOURCE.test(file) ? 'native' : 'binary';
}
