import { matchedSpans, type Recogniser } from '../recogniser.ts';

/** Numbers that were never given out: areas 000, 666 and from 900, group 00, serial 0000. */
const written =
  /(?<![\p{L}\p{N}_-])(?<!\d\.)(?!000|666|9)\d{3}(?<sign> ?[-\u2010-\u2015] ?|[ \u00a0])(?!00)\d{2}\k<sign>(?!0000)\d{4}(?![\p{L}\p{N}_]|-\d)/gu;

/** Nine digits in one, or parted by dots, which are a number only after words that say so; quotation marks are those of JSON. */
const named =
  /(?:\bssn|social[ -]security(?:[ -](?:number|no|num))?\.?)(?:\s|[:#=."'\\_-]|\bis\b|\bnumber\b){0,12}(?<value>(?!000|666|9)\d{3}\.?(?!00)\d{2}\.?(?!0000)\d{4})(?!\d)/giu;

export const socialSecurityNumber: Recogniser = {
  category: 'SSN',
  reach: 110,
  spaced: [written, named],
  find: (text) => [...matchedSpans(text, written), ...matchedSpans(text, named)],
};
