/**
 * Findings as workflow commands, which GitHub Actions shows as annotations:
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
import { visibleText } from '../text/plainText.js';
import { isAccepted, type SarifLog, type SarifResult } from './renderSarif.js';

const COMMAND = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** One line for each result that is neither suppressed nor in the baseline; each ends with a newline. */
export function renderGithub({ runs }: SarifLog): string {
  return runs
    .flatMap(({ results, tool }) =>
      results
        .filter((result) => !isAccepted(result))
        .map((result) => annotation(result, tool.driver.rules[result.ruleIndex].shortDescription.text)),
    )
    .join('');
}

function annotation({ level, message, locations }: SarifResult, title: string): string {
  const { artifactLocation, region } = locations[0].physicalLocation;
  const properties = {
    // Files of another machine have no place in the repository.
    ...(artifactLocation.uriBaseId === undefined ? {} : { file: decodeURIComponent(artifactLocation.uri) }),
    ...(region === undefined ? {} : { line: String(region.startLine) }),
    title,
  };
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`);
  return `::${COMMAND[level]} ${list.join(',')}::${escapeData(message.text)}\n`;
}

/** A message as the runner reads it back. */
export function escapeData(text: string): string {
  return visibleText(text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A'));
}

/** A property, which a comma or a colon would end. */
export function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
