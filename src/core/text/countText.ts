/** All digits, in groups of three: `1,048,576`. Exact, so that columns can be added up. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
