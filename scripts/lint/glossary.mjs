/**
 * Words that have a better one here: in texts, names, comments, titles and file names. A name's words are looked at one
 * by one, so `holderBorn` has `born`. CONTRIBUTING.md, "Language", has the reasons.
 *
 * @type {readonly { not: RegExp, say: string }[]}
 */
export const glossary = [
  { not: /\bsawtooth/, say: 'cycle' },
  // Two planted programs have the word in their recordings.
  { not: /\bfilling\b(?! (lru|replay))|\bclimb(s|ed|ing)?\b/, say: 'growing' },
  { not: /\bkeepers?\b|\bwho keeps\b/, say: 'holder' },
  { not: /\bkept by\b/, say: 'held by' },
  { not: /\bborn\b/, say: 'allocated' },
  { not: /\bdied\b|\bdies\b/, say: 'freed; of a program: ended' },
  { not: /\blet(s|ting)? go\b|\bgive[ns]? back\b|\bgave back\b/, say: 'release, free' },
  { not: /\bhighest point\b/, say: 'peak' },
  { not: /\bstrands?\b|\bpiles?\b/, say: 'series' },
  { not: /\b(un)?picked\b/, say: 'selected' },
  { not: /\bof another version\b/, say: 'different version' },
  { not: /\bdoubts?\b|\bpatience\b/, say: 'evidence' },
  { not: /\bnobody\b|\bsomebody\b|\bwhoever\b/, say: 'the program, the user, the reader: name the actor' },
  { not: /\b(is|are|was) told of\b|\b(is|are) waited for\b|\bmay yet\b|\bheeds?\b/, say: 'an active verb' },
  { not: /\btold (apart|by)\b/, say: 'distinguished, identified by' },
  { not: /\bsets? aside\b/, say: 'skipped, excluded' },
  { not: /\bcut short\b|\bonce it is whole\b/, say: 'truncated, complete' },
  { not: /\bagain and again\b|\bnow and then\b/, say: 'repeatedly, occasionally' },
  { not: /\b(come|comes|came) round\b/, say: 'repeat' },
  { not: /\banew\b/, say: 'again' },
  { not: /\bat hand\b|\bnot to be had\b/, say: 'available, unavailable' },
  { not: /\bkeeps? an eye\b/, say: 'watch' },
  { not: /\bby (itself|themselves)\b/, say: 'implicitly, alone, separately' },
  { not: /\basked for\b/, say: 'requested' },
  {
    not: /\btrainings\b|\ba training\b(?! (run|loop|step|script|program|process|job|repository))/,
    say: 'a training run',
  },
  // A comment is read in a hover, without its neighbor.
  { not: /(?:\*\* |"{3})(of|the same|true of|those)\b/, say: 'a comment that can be understood alone' },
  {
    not: /\bcolour(s|ed|ing)?\b|\bneighbours?\b|\bcent(re|red)s?\b|\blicences?\b|\bgrey(s|ed)?\b|\bbehaviours?\b/,
    say: 'American spelling: color, neighbor, center, license, gray, behavior',
  },
];

/** Splits names into words: `bornIn` and `born_in` are `born in`. */
export function wordsOf(text) {
  return text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_/.-]+/g, ' ')
    .toLowerCase();
}

/** @returns {{ word: string, say: string }[]} the words of a line that have a better one */
export function complaintsAbout(line) {
  const words = wordsOf(line);
  return glossary.flatMap(({ not, say }) => {
    const found = not.exec(words);
    return found === null ? [] : [{ word: found[0], say }];
  });
}
