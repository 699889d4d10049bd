/** Lines closer together than this would be a grey wall, in pixels. */
const NARROWEST = 5;

/** What of a list, ascending by pixels, can be told apart: each is dropped that lies too close to the one before it. */
export function apart<Item>(items: readonly Item[], pixelOf: (item: Item) => number): Item[] {
  let last = Number.NEGATIVE_INFINITY;
  return items.filter((item) => {
    const pixel = pixelOf(item);
    if (pixel - last < NARROWEST) return false;
    last = pixel;
    return true;
  });
}
