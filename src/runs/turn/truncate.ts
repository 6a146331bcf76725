import type { TruncationStrategy } from '../settings.ts';
import { bytesOf, tokensOf } from './count-tokens.ts';
import type { ChatMessage } from './prompt.ts';

/** Tokens that a model takes where nothing is known of it. */
export const DEFAULT_WINDOW = 128_000;

/**
 * The groups of a history that are sent. A count of `last_messages` keeps the newest messages, with the calls that belong to them;
 * what does not fit into `tokens` is dropped from the middle, so that the first group and the newest stay.
 */
export async function truncated(
  groups: readonly ChatMessage[][],
  strategy: TruncationStrategy,
  tokens: number,
): Promise<ChatMessage[][]> {
  const { last_messages: count } = strategy;
  const chosen = count === null ? [...groups] : newest(groups, count);
  // A token has a byte at least: most histories need no counting.
  const bytes = chosen.reduce((sum, group) => sum + bytesOf(group) + OVERHEAD * group.length, 0);
  return bytes <= tokens ? chosen : fitting(chosen, tokens);
}

/** Tokens of a message beside its text, and rather more. */
const OVERHEAD = 8;

/** Whether messages have more tokens than these; counted only where their bytes leave it open. */
export const isMoreThan = async (tokens: number, messages: readonly ChatMessage[]): Promise<boolean> =>
  bytesOf(messages) + OVERHEAD * messages.length > tokens && (await tokensOf(messages)) > tokens;

/** The newest group, which the model is to answer, the first, and the newest of those between as far as there is room. */
async function fitting(groups: readonly ChatMessage[][], tokens: number): Promise<ChatMessage[][]> {
  const [first = [], ...others] = groups;
  const last = others.pop();
  if (!last) return [first];
  let room = tokens - (await tokensOf(last));
  const firstSize = await tokensOf(first);
  const head = firstSize <= room ? [first] : [];
  if (head.length > 0) room -= firstSize;
  const tail = [last];
  for (const group of others.toReversed()) {
    // What has more bytes than this has more tokens than there is room for, and need not be counted.
    if (bytesOf(group) > room * MOST_BYTES) break;
    room -= await tokensOf(group);
    if (room < 0) break;
    tail.unshift(group);
  }
  return [...head, ...tail];
}

/** Bytes of the longest token. */
const MOST_BYTES = 128;

/** The groups from the newest `count` messages on: outputs and calls are no messages. */
function newest(groups: readonly ChatMessage[][], count: number): ChatMessage[][] {
  let left = count;
  for (let at = groups.length - 1; at >= 0; at--) {
    const isMessage = groups[at]?.[0]?.tool_calls === undefined || groups[at]?.[0]?.content != null;
    if (isMessage && --left === 0) return groups.slice(at);
  }
  return [...groups];
}
