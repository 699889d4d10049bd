/** Folders with symbolic links that form loops, leave the folder, or do not lead to a regular file. */
import { snapshot, entry, FLAT, times, type Attack } from './made.js';

const DUMP = snapshot([], [times(100, (i) => entry('alloc', 512 * (i + 1)))]);
const COMMANDS = [
  ['analyze', 'FOLDER'],
  ['analyze', '--json', '--root', 'FOLDER', 'FOLDER'],
  ['digest', '--out', 'OUT', 'FOLDER'],
];

function linked(name: string, links: Readonly<Record<string, string>>): Attack {
  return {
    name: `links: ${name}`,
    files: () => ({ 'a/step_1.pickle': DUMP, 'b/train.py': 'import torch\n' }),
    links,
    commands: COMMANDS,
    maxMemory: FLAT,
  };
}

export const LINKS: readonly Attack[] = [
  linked('a folder in itself', { 'a/again': '.' }),
  linked('two folders in each other', { 'a/to_b': '../b', 'b/to_a': '../a' }),
  linked('ten folders in each other', {
    ...Object.fromEntries(times(10, (i) => [`a/up${i}`, '..'])),
    ...Object.fromEntries(times(10, (i) => [`b/up${i}`, '..'])),
  }),
  linked('to the root of the disk', { root: '/', 'a/proc': '/proc', 'a/sys': '/sys' }),
  linked('thousands to one file', Object.fromEntries(times(5000, (i) => [`a/step_${i + 2}.pickle`, 'step_1.pickle']))),
  linked('a circle', { 'a/x.pickle': 'y.pickle', 'a/y.pickle': 'x.pickle' }),
  linked('to nothing', { 'a/gone.pickle': '/nowhere/x.pickle', 'b/gone.py': 'nowhere.py' }),
  linked('to devices', {
    'a/zero.pickle': '/dev/zero',
    'a/full.pickle': '/dev/full',
    'a/terminal.pickle': '/dev/tty',
    'b/zero.py': '/dev/zero',
  }),
  linked('a chain of sixty', {
    'a/link0.pickle': 'step_1.pickle',
    ...Object.fromEntries(times(60, (i) => [`a/link${i + 1}.pickle`, `link${i}.pickle`])),
  }),
];
