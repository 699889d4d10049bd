/** Snapshots as CPython writes them, see writePickles.py. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Picklable } from './plainPickle.js';
import { repositoryRoot } from './repository.js';

const BIG = '\u0001';

/** JSON with whole numbers of any size, which `JSON.stringify` does not know. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'bigint' ? `${BIG}${item}${BIG}` : item,
  ).replaceAll(/"\\u0001(-?\d+)\\u0001"/g, '$1');
}

/** Writes each value in protocols 2 to 5 and as a legacy `torch.save`. What stands under `frames` keeps its identity. */
export function writePickles(folder: string, values: ReadonlyMap<string, Picklable>): void {
  const entries = [...values].map(([name, value]) => {
    const lists = new Map<unknown, number>();
    const wire = (item: unknown, key: string): unknown => {
      if (Array.isArray(item) && key === 'frames') {
        const known = lists.get(item) ?? lists.size;
        lists.set(item, known);
        return { $list: known };
      }
      if (Array.isArray(item)) return item.map((one) => wire(one, ''));
      if (typeof item !== 'object' || item === null) return item;
      return Object.fromEntries(Object.entries(item).map(([name_, one]) => [name_, wire(one, name_)]));
    };
    const shared = wire(value, '');
    return { name, value: shared, lists: [...lists.keys()] };
  });
  const script = join(repositoryRoot(), 'test/support/writePickles.py');
  execFileSync('python3', [script, folder], { input: jsonText(entries) });
}
