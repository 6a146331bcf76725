import type { ChatMessage } from './prompt.ts';

/** Characters that are counted at once: the time of an unbroken text grows with its square. */
const PIECE = 2000;
/** Characters after which others may have their turn. */
const BREATH = 64 * 1024;
/** Tokens of an image, about: providers count its size, and nothing of its bytes as text. */
const IMAGE_TOKENS = 1100;
/** Tokens of a message beside its text: its role, and what divides it from others. */
const MESSAGE_TOKENS = 4;

/** Bytes of messages as text: they have no more tokens than these, since a token has a byte at least. */
export const bytesOf = (messages: readonly ChatMessage[]): number => Buffer.byteLength(textOf(messages));

/** The tokens of messages under `o200k_base`, which is near to what the tokenizers of other models count. */
export async function tokensOf(messages: readonly ChatMessage[]): Promise<number> {
  // The tables of the tokenizer take 86 MB: most runs never need them.
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const text = textOf(messages);
  let tokens = messages.length * MESSAGE_TOKENS + IMAGE_TOKENS * imagesIn(messages);
  for (let from = 0; from < text.length; from += PIECE) {
    tokens += countTokens(text.slice(from, from + PIECE));
    if (from % BREATH === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return tokens;
}

const isData = (key: string, value: unknown): boolean =>
  key === 'url' && typeof value === 'string' && value.startsWith('data:');

const textOf = (messages: readonly ChatMessage[]): string =>
  messages
    .map(({ content, tool_calls: calls }) =>
      typeof content === 'string' && calls === undefined
        ? content
        : JSON.stringify([content, calls], (key, value) => (isData(key, value) ? '' : value)),
    )
    .join('\n');

const imagesIn = (messages: readonly ChatMessage[]): number =>
  messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as { type?: unknown }[]) : []))
    .filter(({ type }) => type === 'image_url' || type === 'image_file').length;
