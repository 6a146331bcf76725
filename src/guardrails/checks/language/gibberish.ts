import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';
import { timeoutParameter } from '../remote/common.ts';
import { detector } from './detector.ts';

const parameters = z.strictObject({
  ...negatable,
  timeout: timeoutParameter(5_000),
  ...failable,
});

/** Characters of a piece: enough to tell words from noise, few enough that noise does not hide among words. */
const PIECE = 120;
/** The fewest letters of a piece that is judged. */
const MIN_LETTERS = 12;
/** A piece whose letters follow each other as in no language scores less. */
const MIN_SCORE = 0.45;
/** The share of such pieces that makes a text gibberish. */
const MAX_SHARE = 0.5;
/** Characters of a text that are judged. */
const MAX_TEXT = 50_000;

export const gibberish = defineCheck({
  id: 'gateway.gibberish',
  description: 'Passes when the letters of the text follow each other as in some language.',
  phases: ['input', 'output'],
  parameters,
  timeoutMs: ({ timeout }) => timeout,
  prepare:
    ({ not }) =>
    async ({ text }) => {
      const detect = await detector();
      const pieces = piecesOf(text.slice(0, MAX_TEXT));
      const noise = pieces.filter((piece) => detect(piece).score < MIN_SCORE).length;
      const share = pieces.length === 0 ? 0 : noise / pieces.length;
      return { verdict: share < MAX_SHARE !== not, data: { share: Math.round(share * 100) / 100, not } };
    },
});

function piecesOf(text: string): string[] {
  const pieces = [''];
  for (const word of text.split(/\s+/)) {
    const last = pieces.length - 1;
    const longer = `${pieces[last]} ${word}`;
    if (longer.length > PIECE) pieces.push(word);
    else pieces[last] = longer;
  }
  return pieces.filter((piece) => (piece.match(/\p{L}/gu)?.length ?? 0) >= MIN_LETTERS);
}
