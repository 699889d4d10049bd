/**
 * Typed calls over a message channel, for extension ↔ worker and extension ↔ webview. An API is an interface of methods
 * with one parameter object. Each request gets a result or a failure; a closed channel fails all open requests.
 */
import * as v from 'valibot';
import { ownErrorText } from '../core/text/ownError.js';

/** An API: methods by name, each with one parameter and one result. */
export type RpcApi = Record<string, { params: unknown; result: unknown }>;
/** Notifications by name, server to client. */
export type RpcEvents = Record<string, unknown>;

/** A failure that crossed a channel. `reason` is for programs, the message for users. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** Parameters and results are of the called method: its caller knows them, or has a schema. */
const value = v.optional(v.unknown());
const envelope = v.variant('kind', [
  v.object({ kind: v.literal('request'), id: v.number(), method: v.string(), params: value }),
  v.object({ kind: v.literal('cancel'), id: v.number() }),
  v.object({ kind: v.literal('result'), id: v.number(), value }),
  v.object({ kind: v.literal('failure'), id: v.number(), reason: v.string(), message: v.string() }),
  v.object({ kind: v.literal('notice'), name: v.string(), value }),
]);
export type RpcMessage = v.InferOutput<typeof envelope>;

/** True if `value`, which came from the other side of a channel, is an envelope of this protocol. */
export function isRpcMessage(value: unknown): value is RpcMessage {
  return v.is(envelope, value);
}

interface PendingCall {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** The calling side. Give every incoming message to {@link receive}. */
export class RpcClient<Api extends RpcApi, Events extends RpcEvents = RpcEvents> {
  private nextId = 1;
  private readonly pending = new Map<number, PendingCall>();

  /** @param post sends one message to the other side @param onNotice receives the server's notifications */
  constructor(
    private readonly post: (message: RpcMessage) => void,
    private readonly onNotice: <Name extends keyof Events>(name: Name, value: Events[Name]) => void = () => undefined,
  ) {}

  /** @throws RpcError with the server's reason, or `cancelled`, or `closed`. */
  call<Name extends keyof Api & string>(
    method: Name,
    params: Api[Name]['params'],
    signal?: AbortSignal,
  ): Promise<Api[Name]['result']> {
    if (signal?.aborted === true) return Promise.reject(new RpcError('cancelled', 'Cancelled.'));
    const id = this.nextId++;
    return new Promise<Api[Name]['result']>((resolve, reject) => {
      const onAbort = (): void => {
        this.pending.delete(id);
        this.post({ kind: 'cancel', id });
        reject(new RpcError('cancelled', 'Cancelled.'));
      };
      const finish = (): void => {
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.pending.set(id, {
        resolve: (value) => {
          finish();
          resolve(value);
        },
        reject: (error) => {
          finish();
          reject(error);
        },
      });
      this.post({ kind: 'request', id, method, params });
    });
  }

  receive(message: RpcMessage): void {
    if (message.kind === 'notice') {
      this.onNotice(message.name, message.value as Events[string]);
      return;
    }
    if (message.kind !== 'result' && message.kind !== 'failure') return;
    const call = this.pending.get(message.id);
    if (call === undefined) return; // cancelled meanwhile
    this.pending.delete(message.id);
    if (message.kind === 'result') call.resolve(message.value);
    else call.reject(new RpcError(message.reason, message.message));
  }

  /** Fails every open call: the other side is gone. */
  close(message: string): void {
    for (const call of this.pending.values()) call.reject(new RpcError('closed', message));
    this.pending.clear();
  }
}

/** The methods of the serving side. A handler throws to fail the call; the error's `reason` is sent too. */
export type RpcHandlers<Api extends RpcApi> = {
  [Name in keyof Api]: (
    params: Api[Name]['params'],
    signal: AbortSignal,
  ) => Promise<Api[Name]['result']> | Api[Name]['result'];
};

/** The answering side. Give every incoming message to {@link receive}. */
export class RpcServer<Api extends RpcApi, Events extends RpcEvents = RpcEvents> {
  private readonly running = new Map<number, AbortController>();

  /** @param shapes of the parameters, where the other side is not to be believed */
  constructor(
    private readonly handlers: RpcHandlers<Api>,
    private readonly post: (message: RpcMessage) => void,
    private readonly shapes: { [Name in keyof Api]: v.GenericSchema<Api[Name]['params']> } | null = null,
  ) {}

  notify<Name extends keyof Events & string>(name: Name, value: Events[Name]): void {
    this.post({ kind: 'notice', name, value });
  }

  async receive(message: RpcMessage): Promise<void> {
    if (message.kind === 'cancel') {
      this.running.get(message.id)?.abort();
      return;
    }
    if (message.kind !== 'request') return;
    const { id, method, params } = message;
    const abort = new AbortController();
    this.running.set(id, abort);
    try {
      if (!Object.hasOwn(this.handlers, method)) throw new RpcError('unknownMethod', `There is no call '${method}'.`);
      if (this.shapes !== null && !v.is(this.shapes[method], params)) {
        throw new RpcError('badParams', `The parameters of '${method}' are invalid.`);
      }
      const value = await this.handlers[method as keyof Api](params, abort.signal);
      this.post({ kind: 'result', id, value });
    } catch (error) {
      this.post({ kind: 'failure', id, reason: reasonOf(error), message: messageOf(error) });
    } finally {
      this.running.delete(id);
    }
  }
}

/** The reason of an error for programs, `internal` without one. */
export function reasonOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'reason' in error && typeof error.reason === 'string') {
    return error.reason;
  }
  return 'internal';
}

function messageOf(error: unknown): string {
  return ownErrorText(error) ?? (error instanceof Error ? error.message : String(error));
}
