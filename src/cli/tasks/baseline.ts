/** `leakline baseline write`: records the lines that leak now. */
import { lstat } from 'node:fs/promises';
import { writeWhole } from '../../node/wholeFile.js';
import { type IgnoredLeak, statementText, withBaseline, withIgnored } from '../../core/report/ignoredLeaks.js';
import type { Report } from '../../core/report/report.js';
import type { ReportWorkspace } from '../../core/report/reportWorkspace.js';
import { plural } from '../../core/text/plural.js';
import type { IgnoreFile } from '../../node/ignoreFile.js';
import type { AnalyzeArguments } from '../arguments.js';
import type { Output } from '../inputs.js';
import { removeAbandoned, unfinished } from '../leftovers.js';
import { UsageError } from '../usageError.js';

/** Records the lines that have a verdict to fail on (leak where none is named) and that the workspace does not ignore. */
export async function writeBaseline(
  report: Report,
  { path, text, leaks: known }: IgnoreFile,
  { failOn }: AnalyzeArguments,
  { lineText }: ReportWorkspace,
  { print }: Output,
): Promise<void> {
  const { runs } = withIgnored(
    report,
    known.filter(({ inBaseline }) => !inBaseline),
  );
  const verdicts: readonly string[] = failOn.length === 0 ? ['leak'] : failOn;
  const lines = runs.flatMap((run) =>
    run.lines.filter(({ verdict, ignored }) => !ignored && verdicts.includes(verdict)),
  );
  const leaks = new Map<string, IgnoredLeak>();
  for (const { file, function: name, line, mapped, statement } of lines) {
    if (!mapped) continue;
    const place = statement ?? { text: statementText(lineText?.(file, line) ?? ''), occurrence: 1 };
    const leak = { file, function: name, statement: place.text, occurrence: place.occurrence, line };
    leaks.set(JSON.stringify(leak), { ...leak, reason: null, inBaseline: true });
  }
  // A repository could lead it to any file of the user.
  if ((await lstat(path).catch(() => null))?.isSymbolicLink() === true)
    throw new UsageError(`The baseline is not written: ${path} is a link. Replace it by a file.`);
  await removeAbandoned(path);

  await writeWhole(path, unfinished(path), (file) => file.writeFile(withBaseline(text, [...leaks.values()])));
  const foreign = lines.filter(({ mapped }) => !mapped).length;
  print(`${path}: ${plural(leaks.size, 'line')} in the baseline.\n`);
  if (foreign > 0) print(`Left out: ${plural(foreign, 'line')} of files that were not found below the root.\n`);
}
