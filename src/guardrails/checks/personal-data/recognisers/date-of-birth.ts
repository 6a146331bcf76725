import { matchedSpans, type Recogniser } from '../recogniser.ts';

/** Words before a date that make it one of birth, in twelve languages. */
const words = [
  ...['d\\.?o\\.?b\\.?', 'date of birth', 'birth ?date', 'birthday', 'born(?: on)?'],
  ...['geburtsdatum', 'geb\\.', 'geboren(?: am| op)?', 'geboortedatum', 'date de naissance', 'née? le'],
  ...['fecha de nacimiento', 'nacid[oa] el', 'data di nascita', 'nat[oa] il', 'data de nascimento'],
  ...['nascid[oa] em', 'född(?: den)?', 'födelsedatum', 'fødselsdato', 'født(?: den)?', 'syntymäaika'],
  ...['data urodzenia', 'urodzon[ya]', 'doğum tarihi'],
];

const day = '(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?';
const month =
  '(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|ene|fév|avr|mag|giu|lug|set|ott|dic|déc)\\p{L}{0,9}\\.?';
const year = '(?:19|20)\\d{2}';
const sign = '[./ -]';
const date = [
  `\\d{1,2}${sign}\\d{1,2}${sign}(?:${year}|\\d{2})`,
  `${year}${sign}\\d{1,2}${sign}\\d{1,2}`,
  `${day}\\.? (?:of |de )?${month},? (?:de )?${year}`,
  `${month} ${day},? ${year}`,
].join('|');

const expression = new RegExp(
  `(?<!\\p{L})(?:${words.join('|')})[ \\t]{0,2}(?::|=|is|was|-)?[ \\t]{0,2}(?<value>${date})(?!\\d)`,
  'giu',
);

export const dateOfBirth: Recogniser = {
  category: 'DATE_OF_BIRTH',
  reach: 80,
  spaced: [expression],
  find: (text) => matchedSpans(text, expression),
};
