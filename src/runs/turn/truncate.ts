import type { TruncationStrategy } from '../settings.ts';
import type { ChatMessage } from './prompt.ts';

/** Tokens that a model takes where nothing is known of it. */
export const DEFAULT_WINDOW = 128_000;

/** Bytes of a token in texts of most languages, rather too few than too many. */
const BYTES_PER_TOKEN = 3;

/** About how many tokens messages take. What providers count goes before it wherever it is known. */
export const estimatedTokens = (messages: readonly ChatMessage[]): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(messages)) / BYTES_PER_TOKEN);

/**
 * The groups of a history that are sent. A count of `last_messages` keeps the newest messages, with the calls that belong to them;
 * what does not fit into `tokens` is dropped from the middle, so that the first group and the newest stay.
 */
export function truncated(
  groups: readonly ChatMessage[][],
  strategy: TruncationStrategy,
  tokens: number,
): ChatMessage[][] {
  const { last_messages: count } = strategy;
  const chosen = count === null ? [...groups] : newest(groups, count);
  const sizes = chosen.map(estimatedTokens);
  let sum = sizes.reduce((all, size) => all + size, 0);
  // The newest group is what the model is to answer.
  while (sum > tokens && chosen.length > 1) {
    const dropped = chosen.length > 2 ? 1 : 0;
    sum -= sizes[dropped] ?? 0;
    chosen.splice(dropped, 1);
    sizes.splice(dropped, 1);
  }
  return chosen;
}

/** The groups from the newest `count` messages on: outputs and calls are no messages. */
function newest(groups: readonly ChatMessage[][], count: number): ChatMessage[][] {
  let left = count;
  for (let at = groups.length - 1; at >= 0; at--) {
    const isMessage = groups[at]?.[0]?.tool_calls === undefined || groups[at]?.[0]?.content != null;
    if (isMessage && --left === 0) return groups.slice(at);
  }
  return [...groups];
}
