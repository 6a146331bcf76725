/** Numbers that look random and are the same in every run. */
export type Random = {
  int(from: number, to: number): number;
  pick<Item>(items: readonly Item[]): Item;
  text(alphabet: string, length: number): string;
};

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const random: Random = {
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick: (items) => items[random.int(0, items.length - 1)] as (typeof items)[number],
    text: (alphabet, length) => Array.from({ length }, () => random.pick([...alphabet])).join(''),
  };
  return random;
}

export const digits = '0123456789';
export const letters = 'abcdefghijklmnopqrstuvwxyz';
