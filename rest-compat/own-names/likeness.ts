/** A word without its case and without what separates its parts: `Virtual_Keys` and `virtualKeys` are `virtualkeys`. */
export const squashed = (word: string): string =>
  word
    // `configs.json`, `logs;a=b` and `logs:export` begin with the name.
    .replace(/(?<=.)[.;:,].*$/s, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');

/** `policies` for `policy`, and the other way round. */
const otherNumber = (word: string): string => {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') ? word.slice(0, -1) : `${word}s`;
};

/** How many letters may be wrong: a short word with a wrong letter is soon another word. */
const allowedMistakes = ({ length }: string): number => (length < 4 ? 0 : length < 8 ? 1 : 2);

/** In words shorter than this a letter for another one is no slip: `lots` is not meant to be `logs`. */
const MIN_LENGTH_FOR_REPLACEMENT = 6;

/** Both forms of a name in which it is looked for, squashed. */
export const formsOf = (name: string): string[] => [squashed(name), otherNumber(squashed(name))];

/** Whether a squashed word is a form of a name but for a slip of the fingers: a letter too many, too few, wrong or swapped. */
export function isLike(word: string, form: string): boolean {
  const allowed = allowedMistakes(form);
  if (Math.abs(word.length - form.length) > allowed) return false;
  const replacement = form.length < MIN_LENGTH_FOR_REPLACEMENT ? 2 : 1;
  return distance(word, form, replacement) <= allowed;
}

/** Slips that make one word of the other, each two neighbours swapped being one (optimal string alignment). */
function distance(one: string, other: string, replacement: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : replacement),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, other.length);
}

const at = (row: number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
