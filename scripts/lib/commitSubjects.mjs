/** Subjects of commits: `area: do this`, imperative, at most 72 characters. */
import { run } from './run.mjs';
import { root } from './paths.mjs';

/** Commits up to this one have subjects of another form. */
const lastOfOldForm = '1c23ac15e986906fa78f9ffed5525a655102e0e2';
const limit = 72;

/** Verbs that only look like another form. */
const imperatives = new Set(
  'bring bless embed exceed feed focus need pass process seed speed string address'.split(' '),
);

/**
 * @param {string} subject
 * @returns {string | null} what is wrong with it
 */
export function complaintAbout(subject) {
  if (subject.length > limit) return `${subject.length} characters, at most ${limit}`;
  const [, verb] = /^[a-z][\w./-]*(?:, [a-z][\w./-]*)*: ([\w-]+)/i.exec(subject) ?? [];
  if (verb === undefined) return 'no area: write `area: do this`';
  const isOther = /(?:[^s]s|ed|ing)$/i.test(verb) && !imperatives.has(verb.toLowerCase());
  return isOther ? `'${verb}' is not imperative` : null;
}

/** @returns {Promise<string[]>} complaints about the commits that this clone has; none where there is no git */
export async function complaintsAboutCommits() {
  const git = (...args) => run('git', args, { cwd: root, silent: true });
  const isKnown = (await git('cat-file', '-e', `${lastOfOldForm}^{commit}`)).status === 0;
  const isShallow = (await git('rev-parse', '--is-shallow-repository')).output.trim() === 'true';
  // A shallow clone without that commit has later ones only; another history has none of ours.
  if (!isKnown && !isShallow) return [];
  const range = isKnown ? `${lastOfOldForm}..HEAD` : 'HEAD';
  const { status, output } = await git('log', '--no-merges', '--format=%h %s', range);
  if (status !== 0) return [];
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line, complaintAbout(line.slice(line.indexOf(' ') + 1))])
    .filter(([, complaint]) => complaint !== null)
    .map(([line, complaint]) => `${line}: ${complaint}`);
}
