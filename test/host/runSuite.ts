/** The entry point that VS Code calls inside its extension host. */
import { runMocha } from '../support/mochaRun.js';

const testLimitMs = 300_000;

/** @throws Error if a test fails, which VS Code turns into its exit code */
export async function runSuite(modules: readonly (() => Promise<unknown>)[]): Promise<void> {
  process.setSourceMapsEnabled(true);
  const { failures } = await runMocha({ modules, timeoutMs: testLimitMs });
  if (failures.length > 0) throw new Error(`${failures.length} in-host tests failed.`);
}
