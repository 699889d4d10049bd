/** Writes the report into the one comment that this action has on a pull request. Where it must not, the summary has the report. */
import { readFileSync } from 'node:fs';
import { cut } from './cut.mjs';

/** GitHub takes a comment of 65,536 characters. */
const mostBytes = 60_000;
const perPage = 100;
/** The user of GITHUB_TOKEN, on GitHub Enterprise Server, too. */
const author = 'github-actions[bot]';

const { GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_SERVER_URL, GITHUB_TOKEN } =
  process.env;
const { MARKDOWN, ROOT } = process.env;
const { pull_request: pull } = JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8'));
if (pull === undefined) console.log('No pull request: the report is in the summary.');
// The token of a fork's pull request may only read.
else if (pull.head.repo?.full_name !== GITHUB_REPOSITORY) console.log('A fork: the report is in the summary.');
else {
  try {
    await write(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues`, pull.number);
  } catch (error) {
    console.log(
      `::warning title=Leakline::No comment: ${error.message.replaceAll(/\s+/g, ' ')} The report is in the summary.`,
    );
  }
}

async function write(issues, number) {
  // Encoded, a folder's name cannot end the marker.
  const marker = `<!-- leakline ${encodeURIComponent(ROOT)} -->`;
  const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
  const body = `${marker}\n${cut(readFileSync(MARKDOWN, 'utf8'), mostBytes)}\n[Job](${run})\n`;
  const own = await find(`${issues}/${number}/comments`, marker);
  if (own === undefined) await ask('POST', `${issues}/${number}/comments`, { body });
  else await ask('PATCH', `${issues}/comments/${own.id}`, { body });
}

/** The comment of this action's token that begins with the marker: anybody else could write one. */
async function find(comments, marker) {
  for (let page = 1; ; page++) {
    const found = await ask('GET', `${comments}?per_page=${perPage}&page=${page}`);
    const own = found.find(({ body, user }) => user?.login === author && body?.startsWith(marker));
    if (own !== undefined || found.length < perPage) return own;
  }
}

async function ask(method, url, content) {
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${GITHUB_TOKEN}`,
      'x-github-api-version': '2022-11-28',
    },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
  });
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}.`);
  return response.json();
}
