/** PyTorch's out-of-memory messages as numbers, in each layout since 1.0. */
import type { Bytes } from '../model/units.js';

/** The words of PyTorch's backends in messages. */
type OomBackend = 'CUDA' | 'HIP' | 'XPU' | 'MPS';

/** The numbers of a message; null for each that it does not have. */
export interface OomNumbers {
  backend: OomBackend | null;
  device: number | null;
  /** The size of the segment that the allocator tried to get; in a recording, that of the request. */
  requestedBytes: Bytes | null;
  /** The size of the segment, for a recorded request. */
  segmentBytes?: Bytes;
  capacityBytes: Bytes | null;
  /** Free on the device. */
  freeBytes: Bytes | null;
  /** Allocated by PyTorch, private pools included. */
  allocatedBytes: Bytes | null;
  /** Reserved by PyTorch and not allocated. */
  unusedBytes: Bytes | null;
  /** Limit set by the program. */
  limitBytes: Bytes | null;
  /** Held by this process, PyTorch included. */
  processBytes: Bytes | null;
  /** Counted towards the limit, but not PyTorch's. */
  otherBytes: Bytes | null;
}

/** A message without white space and what is written around lines: it may be wrapped, quoted or framed anywhere. */
export function compactText(text: string): string {
  return text.replace(/[\s│┃|>#\\]+/g, '');
}

/** A larger number stands for none: no device has it, and PyTorch prints 2^34 GiB for no limit. */
const MAX_BYTES: Bytes = 2 ** 50;

const AMOUNT = String.raw`(\d{1,20}(?:\.\d{1,9})?)(bytes|[KMGTP]i?B|B)`;
const SCALES = 'BKMGTP';

function amountIn(pattern: string): RegExp {
  return new RegExp(pattern.replace('AMOUNT', AMOUNT));
}

/** The layouts of each number; the first that matches counts. */
const REQUESTED = ['riedtoallocateAMOUNT', 'Requested:AMOUNT'].map(amountIn);
const CAPACITY = ['AMOUNTtotalcapacity', 'totalcapaci?tyofAMOUNT', 'Devicelimit:AMOUNT'].map(amountIn);
const FREE = ['ofwhichAMOUNTisfree', '[;,]AMOUNTfree', String.raw`Free\(accordingto\w+\):AMOUNT`].map(amountIn);
const ALLOCATED = [
  'AMOUNTalreadyallocated',
  'OftheallocatedmemoryAMOUNTisallocatedbyPyTorch',
  'Currentlyallocated:AMOUNT',
  'MPSallocated:AMOUNT',
].map(amountIn);
const UNUSED = ['AMOUNTisreservedbyPyTorchbutunallocated', '[;,]AMOUNTcached'].map(amountIn);
const RESERVED = ['AMOUNTreservedintotalbyPyTorch'].map(amountIn);
const LIMIT = [
  'AMOUNTallowed',
  String.raw`PyTorchlimit\(setbyuser-suppliedmemoryfraction\):AMOUNT`,
  'maxallowed:AMOUNT',
].map(amountIn);
const PROCESS = ['thisprocesshasAMOUNTmemoryinuse'].map(amountIn);
const OTHER = ['otherallocations:AMOUNT'].map(amountIn);

const DEVICES = [/GPU(\d{1,4})(?:;|hasatotal)/, /ondevice(\d{1,4})/];
const BACKEND = /(CUDA|HIP|XPU|MPS)(?:backend)?(?:error:)?outofmemory/;

/** Other texts have such an amount too: a message that ends early, or that is about other memory. */
const MESSAGE =
  /(?:CUDA|HIP|XPU|MPSbackend)outofmemory|wouldexceedallowedmemory|OutOfMemoryError|riedtoallocate[\d.]+[A-Za-z]+\.?\(?GPU\d/;
/** An error that has no numbers; the same words in code or in prose are none. */
const WITHOUT_NUMBERS =
  /(?:Error|Exception):(?:CUDA|HIP|XPU)(?:error:)?outofmemory|cudaruntimeerror\(2\):outofmemory|(?:CUDA|HIP)error:outofmemory|OutOfMemoryError:Allocationondevice/;

/** The end of each layout. */
const END =
  /reservedintotalbyPyTorch|[\d.]+[KMG]iBcached\)|[\d.]+bytescached\)|butunallocated|user-suppliedmemoryfraction\):[\d.]+[A-Za-z]+|on(?:private|shared)pool/;

/** True if nothing of the message is missing. @param compact see {@link compactText} */
export function isComplete(compact: string): boolean {
  return END.test(compact);
}

/** Reads a message, null if the text is none. @param compact see {@link compactText} */
export function readNumbers(compact: string): OomNumbers | null {
  const requestedBytes = amount(compact, REQUESTED);
  if (!(requestedBytes === null ? WITHOUT_NUMBERS : MESSAGE).test(compact)) return null;
  const allocatedBytes = amount(compact, ALLOCATED);
  const reservedBytes = amount(compact, RESERVED);
  const device = DEVICES.map((pattern) => pattern.exec(compact)).find((match) => match !== null);
  const backend = BACKEND.exec(compact);
  return {
    backend: backend === null ? null : (backend[1] as OomBackend),
    device: device === undefined ? null : Number(device[1]),
    requestedBytes,
    capacityBytes: amount(compact, CAPACITY),
    freeBytes: amount(compact, FREE),
    allocatedBytes,
    unusedBytes:
      reservedBytes === null || allocatedBytes === null
        ? amount(compact, UNUSED)
        : Math.max(0, reservedBytes - allocatedBytes),
    limitBytes: amount(compact, LIMIT),
    processBytes: amount(compact, PROCESS),
    otherBytes: amount(compact, OTHER),
  };
}

function amount(compact: string, patterns: readonly RegExp[]): Bytes | null {
  for (const pattern of patterns) {
    const match = pattern.exec(compact);
    if (match === null) continue;
    const scale = match[2] === 'bytes' ? 0 : SCALES.indexOf(match[2][0]);
    const bytes = Math.round(Number(match[1]) * 1024 ** scale);
    return bytes > MAX_BYTES ? null : bytes;
  }
  return null;
}
