/**
 * Units as types. A plain number may become a unit, but one unit not another. So a byte count cannot be passed as a
 * time.
 */
declare const unit: unique symbol;
type Unit<Name extends string> = number & { readonly [unit]?: Name };

/** A count of bytes; signed where it is a difference. Exact up to 2^53. */
export type Bytes = Unit<'bytes'>;
/** Microseconds since the Unix epoch, or a difference of two such times. */
export type Microseconds = Unit<'microseconds'>;
/** Index into {@link StringTable}. */
export type StringId = Unit<'string'>;
/** Index into the frame columns of a snapshot. */
export type FrameId = Unit<'frame'>;
/** Index into the stack columns of a snapshot; 0 and 1 are reserved (`NO_STACK`, `EMPTY_STACK`). */
export type StackId = Unit<'stack'>;
/** Index into the event columns of a snapshot. */
export type EventIndex = Unit<'event'>;
/** Ordinal of a device as the training process saw it; {@link PINNED_HOST} for memory of the host. */
export type DeviceOrdinal = Unit<'device'>;

/** The host memory that PyTorch pins for copies to devices, as PyTorch numbers it: one more device with stacks. */
export const PINNED_HOST: DeviceOrdinal = -1;

/** Sorts pinned host memory behind the devices. */
export function hostLast(a: { readonly device: DeviceOrdinal }, b: { readonly device: DeviceOrdinal }): number {
  return Number(a.device === PINNED_HOST) - Number(b.device === PINNED_HOST);
}
