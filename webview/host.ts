/** The extension on the other side: calls, notices, and the small state that it keeps for us. */
import { isRpcMessage, RpcClient } from '../src/protocol/rpc.js';
import type { TimelineApi, TimelineEvents } from '../src/protocol/timelineApi.js';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** What the rest of the webview knows of its host. */
export interface Host {
  call: RpcClient<TimelineApi, TimelineEvents>['call'];
  /** What {@link keep} was last given, also before a reload. Not to be trusted: an older version may have kept it. */
  kept(): unknown;
  keep(state: unknown): void;
}

/**
 * Connects to the extension. May be called once in the life of a page.
 * @param on receives what the extension tells unasked; a state is always complete
 */
export function connectHost(on: { [Name in keyof TimelineEvents]: (value: TimelineEvents[Name]) => void }): Host {
  const api = acquireVsCodeApi();
  const client = new RpcClient<TimelineApi, TimelineEvents>(
    (message) => api.postMessage(message),
    (name, value) => {
      (on[name] as (value: unknown) => void)(value);
    },
  );
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (isRpcMessage(event.data)) client.receive(event.data);
  });
  return { call: client.call.bind(client), kept: () => api.getState(), keep: (state) => api.setState(state) };
}
