/** A profiler's frame has the line of its function's definition. The name shows it, so that no line seems to allocate. */
const DEFINITION = 'def ';

/** The name of a frame whose line is that of the definition. */
export function definitionName(name: string): string {
  return `${DEFINITION}${name}`;
}

/** The function of a frame, whatever its line is. */
export function functionName(name: string): string {
  return name.startsWith(DEFINITION) ? name.slice(DEFINITION.length) : name;
}
