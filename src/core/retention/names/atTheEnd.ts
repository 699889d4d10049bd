/** Code after training releases nothing during it. */
const AT_THE_END = /^(?:on_)?(?:fit|train|training)_end$|^(?:close|shutdown|teardown|__del__|__exit__)$/;

/** True for a function that is called once, when all is over. */
export function runsAtTheEnd(name: string): boolean {
  return AT_THE_END.test(name);
}
