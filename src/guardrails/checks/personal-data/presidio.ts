import { z } from 'zod';
import { isObject } from '../../../lib/json.ts';
import type { CheckServices } from '../../check.ts';
import { headersParameter, jsonAnswer, urlParameter } from '../remote/common.ts';
import type { FoundData } from './find.ts';

/** A Presidio analyzer, or a service with the same interface. */
export const analyzerParameters = {
  url: urlParameter.describe('The address of the analyzer, without `/analyze`.'),
  language: z
    .string()
    .regex(/^[a-z]{2}$/, 'is no language of two letters such as en')
    .default('en')
    .describe('The language of the texts.'),
  threshold: z.number().min(0).max(1).default(0.5).describe('The least score of a find, from 0 to 1.'),
  headers: headersParameter.describe('Headers of the requests.'),
};

export type Analyzer = z.infer<z.ZodObject<typeof analyzerParameters>>;

/** Characters of one request, and how many of them the next one repeats, so that no find is cut. */
const PIECE = 10_000;
const OVERLAP = 200;

type Question = { entities: readonly string[] | null; timeoutMs: number; signal: AbortSignal };

/** What the analyzer finds in a text, piece after piece: it has few workers, and more requests at once would wait there. */
export async function analyze(
  { url, language, threshold, headers }: Analyzer,
  text: string,
  { entities, timeoutMs, signal }: Question,
  services: CheckServices,
): Promise<FoundData[]> {
  const found: FoundData[] = [];
  for (const { piece, offset } of piecesOf(text)) {
    const answer = await services.send({
      url: `${url.replace(/\/+$/, '')}/analyze`,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        text: piece,
        language,
        score_threshold: threshold,
        ...(entities && { entities }),
      }),
      timeoutMs,
      signal,
    });
    found.push(...findsIn(jsonAnswer('The analyzer', answer), piece, offset));
  }
  return found;
}

function piecesOf(text: string): { piece: string; offset: number }[] {
  const pieces: { piece: string; offset: number }[] = [];
  for (let offset = 0; offset < text.length; offset += PIECE - OVERLAP) {
    pieces.push({ piece: text.slice(offset, offset + PIECE).toWellFormed(), offset });
    if (offset + PIECE >= text.length) break;
  }
  return pieces;
}

/** The analyzer counts characters, of which some are two UTF-16 units. */
function findsIn(answer: unknown, piece: string, offset: number): FoundData[] {
  if (!Array.isArray(answer)) throw new Error('The analyzer answered no list.');
  const starts = unitStarts(piece);
  return answer.map((one) => {
    const { entity_type: category, start, end } = isObject(one) ? one : {};
    if (typeof category !== 'string' || typeof start !== 'number' || typeof end !== 'number')
      throw new Error('The analyzer answered a find without its kind and place.');
    return {
      category,
      start: offset + (starts[start] ?? piece.length),
      end: offset + (starts[end] ?? piece.length),
    };
  });
}

/** By the number of each character, the unit at which it starts. */
function unitStarts(piece: string): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const character of piece) {
    starts.push(at);
    at += character.length;
  }
  return starts;
}
