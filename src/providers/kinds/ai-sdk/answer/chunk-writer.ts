import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { Fields } from '../fields.ts';
import type { AnswerNaming } from './completion.ts';
import { CutOff, Reported, UnreadableAnswer } from './errors.ts';
import { callExtras, citationOf, imageBlock, sealOf } from './extras.ts';
import { finishReasonOf, isCutOff, usageOf } from './usage.ts';

type Of<T extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: T }>;

/**
 * Turns the parts of a stream into chat completion chunks: the role first, then each piece as it comes, the reason for the
 * end, and the usage. Throws what the provider reports as an error, and where the stream ends without an end.
 */
export class ChunkWriter {
  readonly #naming: AnswerNaming;
  #id: string;
  #created = Math.floor(Date.now() / 1000);
  #model: string;
  #begun = false;
  /** Tool calls by their id: their index, and whether any of their arguments came in pieces. */
  readonly #calls = new Map<string, { index: number; hasArguments: boolean }>();
  /** Blocks of content by kind and id. */
  readonly #blocks = new Map<string, number>();
  done = false;

  constructor(naming: AnswerNaming) {
    this.#naming = naming;
    this.#id = `${naming.provider}-${Date.now()}`;
    this.#model = naming.model;
  }

  chunks(part: LanguageModelV4StreamPart): Fields[] {
    const pieces = this.#pieces(part);
    // A model that thinks in secret has begun as well: its caller need not wait for the first word to see an answer.
    const begins = pieces.length > 0 || part.type === 'reasoning-delta';
    if (this.#begun || !begins) return pieces;
    this.#begun = true;
    return [this.#chunk({ role: 'assistant', content: '' }), ...pieces];
  }

  #pieces(part: LanguageModelV4StreamPart): Fields[] {
    switch (part.type) {
      case 'response-metadata':
        this.#take(part);
        return [];
      case 'text-delta':
        return part.delta === '' ? [] : [this.#text(part)];
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#thought(part);
      case 'tool-input-start':
        return part.providerExecuted
          ? []
          : [this.#beginCall(part.id, part.toolName, '', part.providerMetadata)];
      case 'tool-input-delta':
        return this.#continueCall(part.id, part.delta);
      case 'tool-call':
        return part.providerExecuted ? [] : this.#wholeCall(part);
      case 'file':
        return this.#extra({ content_blocks: [{ index: this.#block('file', ''), delta: imageBlock(part) }] });
      case 'source':
        return this.#extra({ citations: [citationOf(part)] });
      case 'finish':
        return this.#finish(part);
      case 'error':
        throw new Reported(part.error);
      default:
        return [];
    }
  }

  #take({ id, timestamp, modelId }: Of<'response-metadata'>): void {
    if (this.#begun) return;
    this.#id = id ?? this.#id;
    this.#model = modelId ?? this.#model;
    if (timestamp) this.#created = Math.floor(timestamp.getTime() / 1000);
  }

  #text({ id, delta }: Of<'text-delta'>): Fields {
    if (this.#naming.strict) return this.#chunk({ content: delta });
    const block = { index: this.#block('text', id), delta: { text: delta } };
    return this.#chunk({ content: delta, content_blocks: [block] });
  }

  #thought(part: Of<'reasoning-start'> | Of<'reasoning-delta'> | Of<'reasoning-end'>): Fields[] {
    const { signature, redactedData } = sealOf(part.providerMetadata);
    const delta = {
      ...(part.type === 'reasoning-delta' && part.delta !== '' && { thinking: part.delta }),
      ...(signature !== undefined && { signature }),
      ...(redactedData !== undefined && { type: 'redacted_thinking', data: redactedData }),
    };
    const index = this.#block('reasoning', part.id);
    return Object.keys(delta).length === 0 ? [] : this.#extra({ content_blocks: [{ index, delta }] });
  }

  #beginCall(
    id: string,
    name: string,
    input: string,
    metadata: SharedV4ProviderMetadata | undefined,
  ): Fields {
    const call = { index: this.#calls.size, hasArguments: input !== '' };
    this.#calls.set(id, call);
    return this.#chunk({
      tool_calls: [
        {
          index: call.index,
          id,
          type: 'function',
          function: { name, arguments: input },
          ...(!this.#naming.strict && callExtras(metadata)),
        },
      ],
    });
  }

  #continueCall(id: string, piece: string): Fields[] {
    const call = this.#calls.get(id);
    if (!call || piece === '') return [];
    call.hasArguments = true;
    return [this.#chunk({ tool_calls: [{ index: call.index, function: { arguments: piece } }] })];
  }

  /** Says what the pieces did not: everything, or the arguments of a function that takes none. */
  #wholeCall({ toolCallId: id, toolName, input, providerMetadata }: Of<'tool-call'>): Fields[] {
    const call = this.#calls.get(id);
    const whole = input === '' ? '{}' : input;
    if (!call) return [this.#beginCall(id, toolName, whole, providerMetadata)];
    return call.hasArguments ? [] : this.#continueCall(id, whole);
  }

  #finish({ finishReason, usage }: Of<'finish'>): Fields[] {
    if (isCutOff(finishReason)) throw new CutOff();
    if (finishReason.unified === 'error')
      throw new UnreadableAnswer(`the model stopped with ${finishReason.raw ?? 'an error'}`);
    this.done = true;
    const native =
      this.#naming.strict || finishReason.raw === undefined ? {} : { native_finish_reason: finishReason.raw };
    const last = this.#chunk({}, finishReasonOf(finishReason, this.#calls.size > 0), native);
    const counted = usageOf(usage);
    return counted ? [last, { ...this.#head(), choices: [], usage: counted }] : [last];
  }

  /** A chunk that only a caller without strict compliance sees. */
  #extra(delta: Fields): Fields[] {
    return this.#naming.strict ? [] : [this.#chunk(delta)];
  }

  #block(kind: string, id: string): number {
    const key = `${kind} ${id}`;
    const index = this.#blocks.get(key) ?? this.#blocks.size;
    this.#blocks.set(key, index);
    return index;
  }

  #chunk(delta: Fields, finishReason: string | null = null, extras: Fields = {}): Fields {
    return {
      ...this.#head(),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason, ...extras }],
    };
  }

  #head(): Fields {
    return { id: this.#id, object: 'chat.completion.chunk', created: this.#created, model: this.#model };
  }
}
