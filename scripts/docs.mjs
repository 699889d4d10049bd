/** Writes the generated parts of docs again: `npm run docs`. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fromRoot } from './lib/paths.mjs';
import { withPart } from './lib/parts.mjs';

const help = execFileSync(process.execPath, [fromRoot('dist/cli.js'), '--help'], { encoding: 'utf8' });
const path = fromRoot('docs/cli.md');
writeFileSync(path, withPart(readFileSync(path, 'utf8'), 'help', `\`\`\`text\n${help}\`\`\``));
