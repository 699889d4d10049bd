import { analyze } from './analyze.js';
import { baseline } from './baseline.js';
import { clean } from './clean.js';
import type { Command } from './command.js';
import { compare } from './compare.js';
import { digest } from './digest.js';
import { explainOom } from './explainOom.js';
import { facts } from './facts.js';
import { mcp } from './mcp.js';
import { report } from './report.js';
import { summarize } from './summarize.js';
import { whatIf } from './whatIf.js';

/** In the order of `--help`. */
export const COMMANDS: readonly Command[] = [
  ...[analyze, compare, whatIf, explainOom],
  ...[digest, summarize, report, facts, clean],
  ...[baseline, mcp],
];
