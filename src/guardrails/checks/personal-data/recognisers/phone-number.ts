import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import { matchedSpans, type Recogniser } from '../recogniser.ts';

/** Seven to fifteen digits as people write them, signs between them included. */
const candidate =
  /(?<![\p{L}\p{N}_/@#$€£-])(?<!\d\.)(?<value>(?:\+|00)?\(?\d(?:[ ()./\u00a0\u2010-\u2013-]{0,2}\d){6,14})(?![\p{L}\p{N}_]|[.:]\d|[-/]\d|%)/gu;

const LOOK_BACK = 32;
const name =
  /(?:phone|t[eé]l[eé]?(?:fon|phon|fax)?|mobile?|cell|call|fax|whatsapp|sms|text me|handy|número|numéro|ring|telefoonnummer|puhelin|telefono|teléfono|celular|portable|rufnummer|ruf|komórka|電話|电话|тел)[\p{L}_]{0,12}["' .:#=)\]\\-]{0,6}(?:(?:number|no|nummer|at|is|us|me|on|under|unter|au|al)[ .:]{0,2}){0,2}/u;
const named = new RegExp(`${name.source}$`, 'iu');

/** Countries whose numbers are recognised without the code of the country: what the words before them leave open. */
const countries: readonly CountryCode[] = [
  'US',
  'GB',
  'DE',
  'FR',
  'ES',
  'IT',
  'NL',
  'SE',
  'PL',
  'BR',
  'IN',
  'JP',
  'AU',
];

const isDate = /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-]\d{1,2}[./-]\d{1,2})(?:\D|$)/;
/** Ten digits as North Americans part them. */
const northAmerican = /^(?:1[ .-]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[-. ])[2-9]\d\d[-. ]\d{4}$/;

export const phoneNumber: Recogniser = {
  category: 'PHONE_NUMBER',
  reach: 50 + LOOK_BACK + 2,
  spaced: [candidate, new RegExp(name.source + candidate.source, 'iu')],
  find: (text) =>
    matchedSpans(text, candidate, (value, { index }) => {
      if (/^(?:\+|00)/.test(value)) return isInternational(value);
      if (isDate.test(value)) return false;
      if (northAmerican.test(value)) return true;
      const before = text.slice(Math.max(0, index - LOOK_BACK), index);
      return named.test(before) && isNational(value);
    }),
};

const isInternational = (value: string): boolean =>
  parsePhoneNumberFromString(value.replace(/^00/, '+'))?.isPossible() === true;

const isNational = (value: string): boolean =>
  countries.some((country) => parsePhoneNumberFromString(value, country)?.isValid() === true);
