import { isObject, type JsonObject } from '../../lib/json.ts';
import { firstChoice, NO_USAGE, readTurn, readUsage } from '../chat-completions/turn.ts';
import { type Block, type BlockListener, Blocks } from './blocks.ts';
import { type ChatEnding, note } from './stream.ts';

export type WholeBlock = Block & { content: string };

/** A whole chat completion in the same sequence of blocks that its stream would have been. */
export function readWhole(chat: JsonObject): { blocks: WholeBlock[]; ending: ChatEnding } {
  const blocks: WholeBlock[] = [];
  const listener: BlockListener = {
    open: (block) => blocks.push({ ...block, content: '' }),
    grow(text) {
      const last = blocks.at(-1);
      if (last) last.content += text;
    },
    close() {},
  };
  const ending: ChatEnding = { finish: null, stopSequence: null, usage: readUsage(chat) ?? NO_USAGE };
  const choice = firstChoice(chat);
  const sequence = new Blocks(listener);
  if (isObject(choice?.message)) sequence.take(readTurn(choice.message));
  sequence.end();
  if (choice) note(choice, ending);
  return { blocks, ending };
}

/** A whole chat completion as the one chunk of a stream, for a provider that streams nothing. */
export function asChunk(chat: JsonObject): JsonObject {
  const choice = firstChoice(chat);
  return choice ? { ...chat, choices: [{ ...choice, index: 0, delta: choice.message }] } : chat;
}
