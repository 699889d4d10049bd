/** Long steps of a script, as they are told. */

/** How often a long step says that it goes on. */
const SIGN_OF_LIFE_MS = 10_000;

/**
 * Says what a long step is doing and how long it took.
 * @param {string} title
 * @param {() => Promise<void>} work
 * @param {() => string} [progress] how far it is
 */
export async function step(title, work, progress = () => '') {
  const start = Date.now();
  console.log(`… ${title}`);
  // npm says nothing until it ends.
  const signs = setInterval(() => {
    console.log(`  … ${title}: ${Math.round((Date.now() - start) / 1000)} s${progress()}`);
  }, SIGN_OF_LIFE_MS);
  try {
    await work();
  } finally {
    clearInterval(signs);
  }
  console.log(`✓ ${title} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}
