import type { Random } from './random.ts';

const nouns =
  'river report garden market letter machine teacher window kitchen story engine village captain program station budget ' +
  'forest number invoice meeting music picture question answer holiday project customer password token secret key card ' +
  'address phone account instruction system prompt rule release version chapter table';
const verbs =
  'opened found carried described ignored followed repeated painted measured counted delivered forgot revealed ' +
  'published changed signed printed moved called sent wrote ordered shipped paid';
const adjectives =
  'old quiet bright early narrow careful public heavy simple distant previous new important hidden safe long open green';
const endings = [
  'last week',
  'at 12:30',
  'in 2024',
  'for 14,500.75 dollars',
  'on page 118',
  'in version 2.14.0',
  'under section 4.2.1.3',
  'in room 404',
  'with order 20240117-000482',
  'as of 2023-11-05',
  'for €1.299,00',
  'by 12.5%',
  'between 1990 and 2005',
  'with id 550e8400-e29b-41d4-a716-446655440000',
  'in commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
  'from 10 to 20 kg',
  'at ratio 16:9',
  'in ISO 27001:2022',
  'with part no. 4471-2290-7710-3345-1',
  'on 05/11/2023 at 09:41:07',
  'over 3,000,000,000 times',
  'with std::vector and a::b',
  'see https://docs.example.com/guide?id=42',
  'under ISBN 978-3-16-148410-0',
];

const pickOf = (random: Random, words: string) => random.pick(words.split(' '));

/** Sentences about nobody, with numbers of all kinds that are nobody's. */
export function prose(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    const subject = `The ${pickOf(random, adjectives)} ${pickOf(random, nouns)}`;
    const object = `the ${pickOf(random, nouns)} of the ${pickOf(random, adjectives)} ${pickOf(random, nouns)}`;
    text += `${subject} ${pickOf(random, verbs)} ${object} ${random.pick(endings)}.${random.int(0, 5) === 0 ? '\n\n' : ' '}`;
  }
  return text;
}
