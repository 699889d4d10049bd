/** How the scripts run other programs. */
import assert from 'node:assert/strict';
import { constants, getPriority } from 'node:os';
import { runNode } from '../../../scripts/lib/run.mjs';

/** Prints the priority of a program, and of one that it starts. */
const PRIORITIES = `
  const { getPriority } = require('node:os');
  const ask = "process.stdout.write(String(require('node:os').getPriority()))";
  console.log(getPriority(), require('node:child_process').execFileSync(process.execPath, ['-e', ask], { encoding: 'utf8' }));
`;

describe('A program that the scripts run', () => {
  const priorities = async (options: object): Promise<string> =>
    (await runNode(['-e', PRIORITIES], { silent: true, ...options })).output.trim();

  it('yields with all that it starts, if it should', async () => {
    const low = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
    assert.equal(await priorities({ yielding: true }), `${low} ${low}`);
  });

  it('has the priority of who runs it otherwise', async () => {
    const own = getPriority();
    assert.equal(await priorities({}), `${own} ${own}`);
  });
});
