/** Pictures of the page for review. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Saves the page as it is into the folder that `LEAKLINE_PICTURES` names, if it does. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['LEAKLINE_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}
