import { isObject } from '../../lib/json.ts';
import type { Endpoint } from '../../providers/index.ts';

type Json = Record<string, unknown>;

/** What a semantic cache compares: a text, among questions that are equal in everything else. */
export type Question = { text: string; partition: string };

const MAX_MESSAGES = 4;
/** 8,191 tokens of at least one byte each would be certain; four bytes a token is what texts have. */
const MAX_CHARACTERS = 8191 * 4;

/**
 * The question of a chat or text completion; null where likeness is not looked for: no user message, more than four
 * messages, too long, or content other than text. System messages do not count.
 */
export function questionOf(endpoint: Endpoint, body: Json, idOf: (body: Json) => string): Question | null {
  if (endpoint === 'complete') {
    const { prompt, ...rest } = body;
    return typeof prompt === 'string' ? question(prompt, rest, idOf) : null;
  }
  if (endpoint !== 'chatComplete') return null;
  const { messages, ...rest } = body;
  if (!Array.isArray(messages) || messages.length > MAX_MESSAGES || !messages.every(isObject)) return null;
  const spoken = messages.filter(({ role }) => role !== 'system' && role !== 'developer');
  const texts = spoken.map(({ content }) => textOf(content));
  if (!spoken.some(({ role }) => role === 'user') || texts.some((text) => text === null)) return null;
  // What was said by whom is part of the text: an assistant's words are no question.
  const said = spoken.map(({ role }, index) =>
    spoken.length === 1 ? texts[index] : `${role}: ${texts[index]}`,
  );
  return question(said.join('\n'), rest, idOf);
}

function question(text: string, rest: Json, idOf: (body: Json) => string): Question | null {
  if (text.trim() === '' || text.length > MAX_CHARACTERS) return null;
  return { text, partition: idOf(rest) };
}

function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const parts = content as Json[];
  return parts.every((part) => part?.type === 'text' && typeof part.text === 'string')
    ? parts.map(({ text }) => text).join('\n')
    : null;
}
