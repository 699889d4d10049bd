import assert from 'node:assert/strict';
import { RpcClient, RpcServer, type RpcError, type RpcMessage } from '../../../src/protocol/rpc.js';

type Api = Record<'ask', { params: null; result: string }>;

/** The error that a caller gets if the other side throws this one. */
async function told(error: unknown): Promise<RpcError> {
  const server = new RpcServer<Api, Record<string, never>>(
    {
      ask: () => {
        throw error;
      },
    },
    (message: RpcMessage) => client.receive(message),
  );
  const client = new RpcClient<Api, Record<string, never>>((message) => void server.receive(message));
  return client.call('ask', null).then(
    () => assert.fail('it succeeds'),
    (failure: unknown) => failure as RpcError,
  );
}

describe('A call that fails on the other side', () => {
  it('has the sentence and the reason of the error', async () => {
    const failure = await told(Object.assign(new Error('x.pickle is truncated.'), { reason: 'truncated' }));
    assert.deepEqual([failure.message, failure.reason], ['x.pickle is truncated.', 'truncated']);
    assert.equal((await told(new RangeError('--set: 3 is no size'))).message, '--set: 3 is no size');
  });

  it('says that an error is Leakline’s own', async () => {
    const { message } = await told(new TypeError('x is not a function'));
    assert.equal(message, 'An error in Leakline: x is not a function. Please report it.');
  });
});
