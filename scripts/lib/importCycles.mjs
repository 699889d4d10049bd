/** Imports that lead back to where they come from, those of types included: such files cannot be read one by one. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

/**
 * @param {string} root
 * @param {readonly string[]} folders below it
 * @returns {string[]} for each cycle, its files in order, as one text
 */
export function importCycles(root, folders) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      .map((name) => join(root, folder, name)),
  );
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const done = new Set();
  const cycles = [];
  const visit = (file, path) => {
    if (path.includes(file)) {
      const cycle = [...path.slice(path.indexOf(file)), file];
      cycles.push(cycle.map((one) => relative(root, one)).join(' → '));
    }
    if (done.has(file)) return;
    done.add(file);
    for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
  };
  for (const file of files) visit(file, []);
  return cycles;
}

function importsOf(file) {
  return ts
    .preProcessFile(readFileSync(file, 'utf8'))
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => resolve(dirname(file), fileName.replace(/\.js$/, '.ts')))
    .filter((path) => existsSync(path));
}
