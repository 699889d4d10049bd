/** Choosing in the dropdowns of the page. */
import type { Page } from 'playwright-core';

/** @param label of the dropdown @param option by its text */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).filter({ visible: true }).click();
  await page.getByRole('option', { name: option, exact: true }).filter({ visible: true }).click();
}
