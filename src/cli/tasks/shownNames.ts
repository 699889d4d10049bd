/** Names of inputs as reports for people have them: below the workspace, or the working folder, without the way there. */
import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { CompareReport, Report } from '../../core/report/report.js';

/** A report that is printed or shared: no path of this machine is in it, where the workspace holds the inputs. */
export function withShownNames(report: Report, root: string | null): Report {
  const shown = namer(root);
  return {
    ...report,
    runs: report.runs.map((run) => ({ ...run, id: shown(run.id) })),
    ranks: report.ranks.map((one) => ({
      ...one,
      growing: one.growing.map((line) => ({ ...line, run: shown(line.run) })),
      calm: one.calm.map((line) => ({ ...line, run: shown(line.run) })),
    })),
    trends: report.trends.map((trend) => ({ ...trend, path: shown(trend.path) })),
    cycles: report.cycles.map((cycles) => ({ ...cycles, path: shown(cycles.path) })),
  };
}

export function withShownPair(report: CompareReport, root: string | null): CompareReport {
  const shown = namer(root);
  const { a, b, fix } = report;
  return {
    ...report,
    a: { ...a, path: shown(a.path) },
    b: { ...b, path: shown(b.path) },
    fix: fix && {
      ...fix,
      before: { ...fix.before, run: shown(fix.before.run) },
      after: { ...fix.after, run: shown(fix.after.run) },
    },
  };
}

/** The folder of a user, on any system and also as a URI, from its start to its name. */
const HOME =
  /(?<![\w.~%/\\-])(file:\/\/\/?)?(?:\/(?:home|Users)\/[^/\s"'`<>|:]+|\/root|[A-Za-z](?::|%3A)?[\\/]Users[\\/][^\\/\s"'`<>|:]+)(?=[\\/])/g;

/** A shared text without the names of users: paths outside the workspace begin with `~`. */
export function withoutHomes(text: string): string {
  return text.replace(HOME, (_, file: string | undefined) => (file === undefined ? '~' : 'file:///~'));
}

/** A shared document without the names of users in its texts. As one text, it may be too long for JavaScript. */
export function withoutHomesIn<Document>(document: Document): Document {
  const changed = (value: unknown): unknown => {
    if (typeof value === 'string') return withoutHomes(value);
    if (Array.isArray(value)) return value.map(changed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, changed(part)]));
  };
  return changed(document) as Document;
}

function namer(root: string | null): (name: string) => string {
  const folders = [root, '.'].flatMap((folder) => {
    if (folder === null) return [];
    try {
      const real = realpathSync(folder);
      return real.endsWith(sep) ? [] : [real + sep];
    } catch {
      return []; // it is gone
    }
  });
  return (name) => {
    const folder = folders.find((one) => name.startsWith(one));
    return folder === undefined ? name : name.slice(folder.length);
  };
}
