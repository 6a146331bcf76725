import {
  type CountryCode,
  getExampleNumber,
  isValidPhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';
import { digits, letters, type Random } from '../random.ts';

/** Countries of the twelve locales, with the word that people there put before a number, and a country's account number. */
export const locales: readonly { country: CountryCode; phoneWord: string; iban: string | null }[] = [
  { country: 'US', phoneWord: 'call me at', iban: null },
  { country: 'GB', phoneWord: 'phone', iban: 'GB2!4!14' },
  { country: 'DE', phoneWord: 'Telefon:', iban: 'DE2!18' },
  { country: 'FR', phoneWord: 'tél.', iban: 'FR2!23' },
  { country: 'ES', phoneWord: 'teléfono', iban: 'ES2!20' },
  { country: 'IT', phoneWord: 'cellulare', iban: 'IT2!1a22' },
  { country: 'NL', phoneWord: 'telefoonnummer', iban: 'NL2!4a10' },
  { country: 'SE', phoneWord: 'mobil', iban: 'SE2!20' },
  { country: 'PL', phoneWord: 'tel.', iban: 'PL2!24' },
  { country: 'BR', phoneWord: 'celular', iban: 'BR2!23' },
  { country: 'IN', phoneWord: 'mobile no', iban: null },
  { country: 'JP', phoneWord: '電話', iban: null },
];

const ibanForms: Readonly<Record<string, { letters: number; digits: number }>> = {
  GB: { letters: 4, digits: 14 },
  DE: { letters: 0, digits: 18 },
  FR: { letters: 0, digits: 23 },
  ES: { letters: 0, digits: 20 },
  IT: { letters: 1, digits: 22 },
  NL: { letters: 4, digits: 10 },
  SE: { letters: 0, digits: 20 },
  PL: { letters: 0, digits: 24 },
};

export const ibanCountries = Object.keys(ibanForms);

const rest97 = (text: string): number =>
  Number(BigInt([...text].map((one) => Number.parseInt(one, 36)).join('')) % 97n);

/** An account number with the right checksum, or with one that is off. */
export function iban(random: Random, isRight: boolean): string {
  const country = random.pick(ibanCountries);
  const form = ibanForms[country] ?? { letters: 0, digits: 18 };
  const account = random.text(letters, form.letters).toUpperCase() + random.text(digits, form.digits);
  const right = 98 - rest97(`${account}${country}00`);
  const sum = isRight ? right : ((right + random.int(1, 80)) % 97) + 2;
  const written = `${country}${String(sum).padStart(2, '0')}${account}`;
  return random.int(0, 1) === 0 ? written : (written.match(/.{1,4}/g) ?? []).join(' ');
}

const brands: readonly { first: string; length: number; groups: readonly number[] }[] = [
  { first: '4', length: 16, groups: [4, 4, 4, 4] },
  { first: '51', length: 16, groups: [4, 4, 4, 4] },
  { first: '2221', length: 16, groups: [4, 4, 4, 4] },
  { first: '34', length: 15, groups: [4, 6, 5] },
  { first: '37', length: 15, groups: [4, 6, 5] },
  { first: '36', length: 14, groups: [4, 6, 4] },
  { first: '6011', length: 16, groups: [4, 4, 4, 4] },
  { first: '3528', length: 16, groups: [4, 4, 4, 4] },
  { first: '62', length: 19, groups: [4, 4, 4, 4, 3] },
];

function checkDigit(number: string): number {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

/** A card number with the right check digit, or with another one. */
export function card(random: Random, isRight: boolean): string {
  const { first, length, groups } = random.pick(brands);
  const start = first + random.text(digits, length - first.length - 1);
  const number = `${start}${(checkDigit(start) + (isRight ? 0 : random.int(1, 9))) % 10}`;
  const sign = random.pick(['', ' ', '-']);
  const starts = groups.map((_, index) => groups.slice(0, index).reduce((sum, size) => sum + size, 0));
  return groups.map((size, index) => number.slice(starts[index], (starts[index] ?? 0) + size)).join(sign);
}

/** A social security number that may exist, or one that cannot. */
export function ssn(random: Random, isRight: boolean): string {
  const area = isRight
    ? random.pick([random.int(1, 665), random.int(667, 899)])
    : random.pick([0, 666, 900, 987]);
  const sign = random.pick(['-', ' ']);
  const part = (value: number, length: number) => String(value).padStart(length, '0');
  return [part(area, 3), part(random.int(1, 99), 2), part(random.int(1, 9999), 4)].join(sign);
}

export function email(random: Random): string {
  const word = () => random.text(letters, random.int(2, 9));
  const local = random.pick([
    word(),
    `${word()}.${word()}`,
    `${word()}+${word()}`,
    `${word()}_${random.int(1, 99)}`,
  ]);
  return `${local}@${word()}.${random.pick(['com', 'de', 'co.uk', 'org', 'com.br', 'io', 'museum', 'mail.fr'])}`;
}

export const ipAddress = (random: Random): string =>
  random.int(0, 2) > 0
    ? Array.from({ length: 4 }, () => random.int(1, 254)).join('.')
    : random.pick([
        `2001:db8:${random.text('123456789abcdef', 4)}::${random.int(10, 99)}`,
        Array.from({ length: 8 }, () => random.int(0x1000, 0xffff).toString(16)).join(':'),
      ]);

/** A number of the country as people there write it, or with the country's code. */
export function phone(random: Random): string {
  const { country, phoneWord } = random.pick(locales);
  for (;;) {
    const example = getExampleNumber(country, examples)?.nationalNumber ?? '';
    const kept = country === 'US' ? 6 : example.length - 5;
    const national = example.slice(0, kept) + random.text(digits, example.length - kept);
    const number = parsePhoneNumberFromString(national, country);
    if (!number || !isValidPhoneNumber(number.number)) continue;
    const form = random.int(0, 3);
    if (form === 0) return number.formatInternational();
    if (form === 1) return number.number;
    return `${phoneWord} ${number.formatNational()}`;
  }
}
