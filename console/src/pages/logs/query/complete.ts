import { fields } from './filters.ts';
import { writeTerm } from './terms.ts';

export type Completion = { text: string; hint: string };

/** The word at a place of the text: where it begins, and what stands there. */
export function wordAt(text: string, place: number): { start: number; word: string } {
  const start = text.slice(0, place).search(/(?:"[^"]*|[^\s"]|(?<=:)"[^"]*")*$/);
  return { start, word: text.slice(start, place) };
}

/** What the word at the place may become: a field, or one of the values that its field has. */
export function completionsFor(
  word: string,
  values: Readonly<Record<string, readonly string[]>>,
): Completion[] {
  const minus = word.startsWith('-') ? '-' : '';
  const bare = word.slice(minus.length);
  const [name = '', begun] = bare.split(/:(.*)/s);
  if (begun === undefined) {
    return Object.entries(fields)
      .filter(([field]) => field.startsWith(bare.toLowerCase()))
      .map(([field, { hint }]) => ({ text: `${minus}${field}${hint.startsWith('>') ? '>' : ':'}`, hint }));
  }
  const sought = begun.replace(/^["@]/, '').toLowerCase();
  return (values[name] ?? [])
    .filter((value) => value.toLowerCase().includes(sought))
    .slice(0, 8)
    .map((value) => ({
      text: `${writeTerm({ field: name, operator: ':', value, isNot: minus !== '' })} `,
      hint: '',
    }));
}
