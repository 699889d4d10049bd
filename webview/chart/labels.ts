/** Labels along a line that must not run into each other. */

export interface LabelWish {
  /** Pixels. */
  centre: number;
  width: number;
  /** The higher comes first. */
  rank: number;
}

/**
 * Which labels fit between `left` and `right`, and where each begins. A label near an end is moved inside; of two that
 * would touch, the one of higher rank, else the earlier, is shown.
 * @returns for each wish its left edge in pixels, or null where it is left out
 */
export function placeLabels(wishes: readonly LabelWish[], left: number, right: number, gap: number): (number | null)[] {
  const taken: { from: number; to: number }[] = [];
  const places = new Array<number | null>(wishes.length).fill(null);
  const order = wishes.map((_, index) => index).sort((a, b) => wishes[b].rank - wishes[a].rank || a - b);
  for (const index of order) {
    const { centre, width } = wishes[index];
    if (width > right - left) continue;
    const from = Math.min(Math.max(centre - width / 2, left), right - width);
    const to = from + width;
    if (taken.some((other) => from < other.to + gap && to > other.from - gap)) continue;
    taken.push({ from, to });
    places[index] = from;
  }
  return places;
}
