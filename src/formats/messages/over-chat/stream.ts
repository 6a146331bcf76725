import { formatEvent } from '../../../lib/event-stream/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Block } from '../../over-chat/blocks.ts';
import { type ChatEnding, createTranslatedStream, type EventWriter } from '../../over-chat/stream.ts';
import { errorEvent } from '../stream.ts';
import { emptyBlock, messageHead, stopOf, usageOf } from './answer.ts';

export const messagesStream = (request: JsonObject) => createTranslatedStream(new MessageEvents(request));

/** The events of Anthropic's message stream: `message_start` to `message_stop`, each block between a start and a stop. */
class MessageEvents implements EventWriter {
  readonly #request: JsonObject;
  readonly #blocks: Block[] = [];
  #text = '';

  constructor(request: JsonObject) {
    this.#request = request;
  }

  begin(chat: JsonObject): void {
    this.#event('message_start', { message: messageHead(chat, this.#request) });
  }

  open(block: Block): void {
    this.#blocks.push(block);
    this.#event('content_block_start', { index: this.#index, content_block: emptyBlock(block) });
  }

  grow(text: string): void {
    this.#event('content_block_delta', { index: this.#index, delta: deltaOf(this.#blocks.at(-1), text) });
  }

  close(): void {
    this.#event('content_block_stop', { index: this.#index });
  }

  end(ending: ChatEnding, closeBlocks: () => void): void {
    closeBlocks();
    const delta = { ...stopOf(ending, this.#blocks, this.#request), container: null };
    this.#event('message_delta', { delta, usage: usageOf(ending.usage) });
    this.#event('message_stop', {});
  }

  fail(message: string): void {
    this.#text += errorEvent(message);
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  get #index(): number {
    return this.#blocks.length - 1;
  }

  #event(type: string, fields: JsonObject): void {
    this.#text += formatEvent(type, JSON.stringify({ type, ...fields }));
  }
}

function deltaOf(block: Block | undefined, text: string): JsonObject {
  if (block?.kind === 'thinking') return { type: 'thinking_delta', thinking: text };
  if (block?.kind === 'tool') return { type: 'input_json_delta', partial_json: text };
  return { type: 'text_delta', text };
}
