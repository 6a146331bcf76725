import { CommandError } from '../errors.ts';
import type { Fold } from '../value/compare.ts';
import { type Document, isDocument } from '../value/types.ts';

/** A supported collation: a folding of strings, and a name by which an index and a query can be compared. */
export type Collation = { fold: Fold; key: string; document: Document };

const known = new Set(
  'locale strength caseLevel caseFirst numericOrdering alternate version maxVariable normalization backwards'.split(
    ' ',
  ),
);
const foldings: Record<number, Fold> = {
  1: (text) =>
    text
      .normalize('NFD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase(),
  2: (text) => text.normalize('NFC').toLowerCase(),
};

/** Parses a collation option. Only strengths 1 and 2 are kept here; the simple collation is no collation at all. */
export function parseCollation(option: unknown): Collation | null {
  if (option === undefined || option === null) return null;
  if (!isDocument(option)) throw new CommandError(14, 'collation must be an object');
  if (option.locale === undefined)
    throw new CommandError(40414, "BSON field 'collation.locale' is missing but a required field");
  if (option.locale === 'simple') return null;
  for (const name of Object.keys(option)) {
    if (!known.has(name))
      throw new CommandError(40415, `BSON field 'collation.${name}' is an unknown field.`);
  }
  const strength = Number(option.strength ?? 3);
  const fold = foldings[strength];
  const special = ['caseLevel', 'numericOrdering', 'backwards'].some((name) => option[name] === true);
  if (!fold || special || (option.alternate ?? 'non-ignorable') !== 'non-ignorable') {
    throw new CommandError(72, 'only the simple collation and plain strengths 1 and 2 are supported');
  }
  return { fold, key: `strength:${strength}`, document: { locale: option.locale, strength } };
}
