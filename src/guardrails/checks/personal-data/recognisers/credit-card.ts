import type { Recogniser, TextSpan } from '../recogniser.ts';

/**
 * Digits in groups, with one or two signs between two groups. They do not go on a number with a decimal point, or one whose
 * thousands are parted by commas; other commas part values of a list.
 */
const digitRun =
  /(?<![\p{L}\p{N}_/])(?<!\d\.)(?<!\d,(?=\d{3}(?!\d)))\d{3,19}(?:[ \-\u2007\u2009\u2010-\u2015\u202f\u00a0._/\n]{1,2}\d{3,19})*(?![\p{L}\p{N}_])/gu;
const group = /\d+/g;

/** First digits and lengths of issuers that give out cards. */
const issuers: readonly { first: RegExp; lengths: readonly number[] }[] = [
  { first: /^4/, lengths: [13, 16, 19] },
  { first: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { first: /^3[47]/, lengths: [15] },
  { first: /^3(?:0[0-5]|[689])/, lengths: [14, 16] },
  { first: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { first: /^(?:6011|64[4-9]|65|622)/, lengths: [16, 17, 18, 19] },
  { first: /^62/, lengths: [16, 17, 18, 19] },
  { first: /^(?:5[06789]|6304|6759|676[1-3])/, lengths: [13, 14, 15, 16, 17, 18, 19] },
  { first: /^220[0-4]/, lengths: [16, 17, 18, 19] },
];

/** The most groups of one number, the shortest being of three digits. */
const MAX_GROUPS = 5;
const MAX_DIGITS = 19;

export const creditCard: Recogniser = {
  category: 'CREDIT_CARD',
  // The signs, and what is looked at before and behind.
  reach: MAX_DIGITS + 2 * (MAX_GROUPS - 1) + 6,
  spaced: [digitRun],
  find: (text) => [...text.matchAll(digitRun)].flatMap((run) => cardsIn(run[0], run.index)),
};

/** Numbers that begin and end with a group of a run. */
function cardsIn(run: string, offset: number): TextSpan[] {
  const groups = [...run.matchAll(group)];
  const spans: TextSpan[] = [];
  for (let first = 0; first < groups.length; first += 1) {
    const last = cardEnd(groups, first);
    if (last === null) continue;
    const end = groups[last];
    const start = groups[first];
    if (start && end) spans.push({ start: offset + start.index, end: offset + end.index + end[0].length });
    first = last;
  }
  return spans;
}

function cardEnd(groups: readonly RegExpExecArray[], first: number): number | null {
  let digits = '';
  let found: number | null = null;
  for (let last = first; last < groups.length && last - first < MAX_GROUPS; last += 1) {
    digits += groups[last]?.[0] ?? '';
    if (digits.length > MAX_DIGITS) break;
    if (isCard(digits)) found = last;
  }
  return found;
}

const isCard = (digits: string): boolean =>
  digits.length >= 13 &&
  issuers.some(({ first, lengths }) => lengths.includes(digits.length) && first.test(digits)) &&
  !/^(\d)\1+$/.test(digits) &&
  isLuhn(digits);

/** The check digit that all issuers use. */
function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, isDoubled = false; at >= 0; at -= 1, isDoubled = !isDoubled) {
    const digit = Number(digits[at]) * (isDoubled ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
