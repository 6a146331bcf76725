import { formatEvent } from '../../../lib/event-stream/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { type Block, UntranslatableError } from '../../over-chat/blocks.ts';
import { type ChatEnding, createTranslatedStream, type EventWriter } from '../../over-chat/stream.ts';
import { itemOf, newItemId, partOf, responseHead, spentOf, stopOf } from './answer.ts';

export const responsesStream = (request: JsonObject) => createTranslatedStream(new ResponseEvents(request));

/** Characters of an answer: the last event repeats all of it, so all of it is kept until then. */
const MAX_ANSWER = 32 * 1024 * 1024;

type OpenItem = { block: Block; id: string; content: string };

/** The events of OpenAI's response stream, `response.created` to `response.completed`, numbered. */
class ResponseEvents implements EventWriter {
  readonly #request: JsonObject;
  #head: JsonObject = {};
  readonly #output: JsonObject[] = [];
  #open: OpenItem | null = null;
  /** Of items that end now: the last one may be cut short with the whole answer. */
  #lastStatus = 'completed';
  #size = 0;
  #number = 0;
  #text = '';

  constructor(request: JsonObject) {
    this.#request = request;
  }

  begin(chat: JsonObject): void {
    this.#head = responseHead(chat, this.#request);
    this.#event('response.created', { response: this.#head });
    this.#event('response.in_progress', { response: this.#head });
  }

  open(block: Block): void {
    const id = newItemId(block);
    this.#open = { block, id, content: '' };
    this.#event('response.output_item.added', {
      output_index: this.#output.length,
      item: itemOf(block, id, '', 'in_progress'),
    });
    if (block.kind !== 'tool') this.#partEvent('response.content_part.added', { part: partOf(block, '') });
  }

  grow(delta: string): void {
    const open = this.#open;
    if (!open) return;
    this.#size += delta.length;
    if (this.#size > MAX_ANSWER) throw new UntranslatableError('The answer is too large for this format.');
    open.content += delta;
    if (open.block.kind === 'tool') this.#itemEvent('response.function_call_arguments.delta', { delta });
    else
      this.#partEvent(`${names[open.block.kind]}.delta`, {
        delta,
        ...(open.block.kind === 'text' && { logprobs: [] }),
      });
  }

  close(): void {
    const open = this.#open;
    if (!open) return;
    const { block, content } = open;
    if (block.kind === 'tool') {
      this.#itemEvent('response.function_call_arguments.done', { name: block.name, arguments: content });
    } else {
      const part = partOf(block, content);
      const { type: _type, annotations: _annotations, ...said } = part;
      this.#partEvent(`${names[block.kind]}.done`, said);
      this.#partEvent('response.content_part.done', { part });
    }
    const item = itemOf(block, open.id, content, this.#lastStatus);
    this.#event('response.output_item.done', { output_index: this.#output.length, item });
    this.#output.push(item);
    this.#open = null;
  }

  end(ending: ChatEnding, closeBlocks: () => void): void {
    const stop = stopOf(ending);
    this.#lastStatus = stop.status;
    closeBlocks();
    this.#event(`response.${stop.status}`, {
      response: { ...this.#head, ...stop, output: this.#output, ...spentOf(ending) },
    });
  }

  fail(message: string): void {
    const open = this.#open;
    const output = open
      ? [...this.#output, itemOf(open.block, open.id, open.content, 'incomplete')]
      : this.#output;
    const error = { code: 'server_error', message };
    this.#event('response.failed', { response: { ...this.#head, status: 'failed', error, output } });
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  #partEvent(type: string, fields: JsonObject): void {
    this.#itemEvent(type, { content_index: 0, ...fields });
  }

  #itemEvent(type: string, fields: JsonObject): void {
    this.#event(type, { item_id: this.#open?.id, output_index: this.#output.length, ...fields });
  }

  #event(type: string, fields: JsonObject): void {
    const event = { type, sequence_number: this.#number++, ...fields };
    this.#text += formatEvent(type, JSON.stringify(event));
  }
}

const names = {
  text: 'response.output_text',
  refusal: 'response.refusal',
  thinking: 'response.reasoning_text',
};
