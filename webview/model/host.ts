/** The extension host: calls, notifications, and the state that it stores for the page. */
import { isRpcMessage, RpcClient } from '../../src/protocol/rpc.js';
import type { TimelineApi, TimelineEvents } from '../../src/protocol/timelineApi.js';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The host as the rest of the webview sees it. */
export interface Host {
  call: RpcClient<TimelineApi, TimelineEvents>['call'];
  /** The last state passed to {@link save}, also before a reload. Untrusted: an older version may have stored it. */
  saved(): unknown;
  save(state: unknown): void;
}

/**
 * Connects to the extension, once per page. @param on receives notifications of the extension; a state is always
 * complete
 */
export function connectHost(on: { [Name in keyof TimelineEvents]: (value: TimelineEvents[Name]) => void }): Host {
  const api = acquireVsCodeApi();
  const client = new RpcClient<TimelineApi, TimelineEvents>(
    (message) => api.postMessage(message),
    (name, value) => (on[name] as (value: unknown) => void)(value),
  );
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (isRpcMessage(event.data)) client.receive(event.data);
  });
  return { call: client.call.bind(client), saved: () => api.getState(), save: (state) => api.setState(state) };
}
