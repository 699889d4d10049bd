import type { Thread } from '../../src/node/thread.js';
import { isRpcMessage } from '../../src/protocol/rpc.js';

/** A thread that may end whenever it tells how far it has read a file: what it sends afterwards is lost. */
export function mortalThread(thread: Thread, isFatal: (path: string) => boolean): Thread {
  return {
    post: (message) => {
      thread.post(message);
    },
    terminate: () => thread.terminate(),
    listen: (message, end) => {
      let isDying = false;
      thread.listen((value) => {
        const isProgress = isRpcMessage(value) && value.kind === 'notice' && value.name === 'progress';
        isDying ||= isProgress && isFatal((value.value as { path: string }).path);
        if (isDying) void thread.terminate();
        else message(value);
      }, end);
    },
  };
}
