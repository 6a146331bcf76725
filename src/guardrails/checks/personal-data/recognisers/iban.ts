import type { Recogniser, TextSpan } from '../recogniser.ts';

/** Characters of an account number in each country that has them. */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
    'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ' +
    'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const beginning = /(?<![\p{L}\p{N}])(?<country>[A-Z]{2})[ -]?\d{2}(?=[ -]?[A-Z0-9])/giu;
const MAX_LENGTH = 34;

/** As long as the longest number. */
const whole = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${Object.keys(lengths).join('|')})[ -]?\\d{2}(?:[ \\-\\u00a0]?[A-Z0-9]){11,${MAX_LENGTH - 4}}`,
  'iu',
);

export const iban: Recogniser = {
  category: 'IBAN',
  // Groups of four, and a sign between them.
  reach: MAX_LENGTH + 10,
  spaced: [whole],
  find: (text) =>
    [...text.matchAll(beginning)].flatMap(({ index, groups }) => {
      const length = lengths[groups?.country?.toUpperCase() ?? ''];
      return length === undefined ? [] : numberAt(text, index, length);
    }),
};

/** The number of so many characters that begins there, spaces and hyphens apart. */
function numberAt(text: string, start: number, length: number): TextSpan[] {
  let characters = '';
  let end = start;
  for (; characters.length < length && end < text.length; end += 1) {
    const character = text[end] ?? '';
    if (/[a-z0-9]/i.test(character)) characters += character;
    else if (!/[ \-\u00a0]/.test(character) || !/[a-z0-9]/i.test(text[end + 1] ?? '')) break;
  }
  const isWhole = characters.length === length && !/[\p{L}\p{N}]/u.test(text[end] ?? '');
  return isWhole && hasChecksum(characters.toUpperCase()) ? [{ start, end }] : [];
}

/** ISO 7064: with its first four characters at the end, and letters as numbers from 10, the rest by 97 is 1. */
function hasChecksum(characters: string): boolean {
  let rest = 0;
  for (const character of characters.slice(4) + characters.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
