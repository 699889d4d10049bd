/** Lines closer together than this would be a gray wall, in pixels. */
const NARROWEST = 5;

/** The items of a list, ascending by pixels, without those that are too close to the previous one. */
export function apart<Item>(items: readonly Item[], pixelOf: (item: Item) => number): Item[] {
  let last = Number.NEGATIVE_INFINITY;
  return items.filter((item) => {
    const pixel = pixelOf(item);
    if (pixel - last < NARROWEST) return false;
    last = pixel;
    return true;
  });
}
