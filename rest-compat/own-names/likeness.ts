import { slips } from '../../src/lib/slips.ts';

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
  return slips(word, form, replacement) <= allowed;
}
