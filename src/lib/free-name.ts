/** Characters that are kept of a name which is taken, so that a number behind it has room within the 64 of a function's name. */
const KEPT = 60;

/** A name that is not taken yet, and is from now on: the one that is wanted, or the same with a number. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name.slice(0, KEPT)}_${count}`;
  taken.add(free);
  return free;
}
