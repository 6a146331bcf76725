import { serve } from '../../lib/threads/serve.ts';
import { embedLocally } from '../embed/local.ts';
import { quantise } from '../embed/quantise.ts';
import { chunksOf } from './chunk.ts';
import type { ChunkCalls } from './messages.ts';
import { tokensOf } from './tokens.ts';
import { unitsOf } from './units.ts';

/** Tokens of the longest text of a file. */
const MOST_TOKENS = 5_000_000;

/** The life of the thread that cuts texts: the tables of its tokenizer take some 90 MB, so that it ends when it is idle. */
serve<ChunkCalls>({
  chunk({ text, chunking, isEmbedded }) {
    const chunks = chunksOf(text, unitsOf(text, tokensOf, MOST_TOKENS), chunking);
    return {
      starts: chunks.map(({ start }) => start),
      ends: chunks.map(({ end }) => end),
      vectors: isEmbedded
        ? quantise(chunks.map(({ start, end }) => embedLocally(text.slice(start, end))))
        : null,
    };
  },
  embed: (texts) => quantise(texts.map(embedLocally)),
});
