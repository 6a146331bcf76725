import { matchedSpans, type Recogniser } from '../recogniser.ts';

const address =
  /(?<![\p{L}\p{N}_:-])[0-9a-f]{2}(?<sign>[:-])(?:[0-9a-f]{2}\k<sign>){4}[0-9a-f]{2}(?![\p{L}\p{N}_]|[:-][0-9a-f])/giu;

export const macAddress: Recogniser = {
  category: 'MAC_ADDRESS',
  reach: 20,
  spaced: [],
  find: (text) => matchedSpans(text, address),
};
