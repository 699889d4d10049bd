import type { Bytes } from './units.js';

/** The workspace of cuBLAS by PyTorch's default, `CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8`: no tensor has this size. */
export const CUBLAS_WORKSPACE: Bytes = 8_519_680;
/** The default on Hopper, `:4096:8`. Tensors may have this size, too. */
export const HOPPER_WORKSPACE: Bytes = 33_554_432;

/** Whether a requested size is that of a workspace; a tensor may have it, too. */
export function isWorkspaceSize(requested: Bytes): boolean {
  return requested === CUBLAS_WORKSPACE || requested === HOPPER_WORKSPACE;
}
