/** The few globals that the core needs and that every runtime has (WHATWG Encoding), declared so that the core can be
 * checked without the DOM's and Node's types. */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}
declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
/** Cancellation (WHATWG DOM). */
interface AbortSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(): void;
}
/** Base64 (WHATWG HTML). */
declare function atob(data: string): string;
/** The part of the WebAssembly API that the core calls. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module, imports: { readonly [module: string]: object });
    readonly exports: object;
  }
}
