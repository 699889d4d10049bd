/** What VS Code calls inside its extension host. */
import { runMocha } from '../support/mochaRun.js';

const testLimitMs = 300_000;

/** @throws Error if a test fails, which VS Code turns into its exit code */
export async function runSuite(modules: readonly (() => Promise<unknown>)[]): Promise<void> {
  process.setSourceMapsEnabled(true);
  const { failed } = await runMocha({ modules, timeoutMs: testLimitMs });
  if (failed > 0) throw new Error(`${failed} in-host tests failed.`);
}
