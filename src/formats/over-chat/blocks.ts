import { randomUUID } from 'node:crypto';
import type { Turn, TurnCall } from '../chat-completions/turn.ts';
import { ObjectEnd } from './object-end.ts';

/** A part of an answer that is of one kind: a run of text, of thoughts or of refusal, or one tool call. */
export type Block = { kind: 'thinking' | 'text' | 'refusal' } | { kind: 'tool'; id: string; name: string };

/** Is told the blocks in sequence: each one is opened, grows and is closed before the next one is opened. */
export type BlockListener = { open(block: Block): void; grow(text: string): void; close(): void };

type Tool = {
  id: string;
  name: string;
  unsent: string;
  end: ObjectEnd;
  state: 'waiting' | 'open' | 'closed';
};

const MAX_TOOL_CALLS = 1000;
/** Characters of tool calls that wait at most, for an earlier call to end or for their own name. */
const MAX_UNSENT = 1024 * 1024;

/** An answer that cannot be translated; its message is for the caller. */
export class UntranslatableError extends Error {}

/**
 * Puts the turns of a chat stream in a sequence of blocks. Chat may tell of several tool calls by turns: a later one waits
 * until the arguments of the one before are a whole JSON object, or the stream ends.
 */
export class Blocks {
  readonly #listener: BlockListener;
  /** The kind of the open block when it is not a tool call. */
  #open: 'thinking' | 'text' | 'refusal' | null = null;
  readonly #tools = new Map<number, Tool>();
  /** Tool calls that are not closed: the first is open, the others wait. */
  readonly #queue: Tool[] = [];
  #count = 0;
  #unsent = 0;

  constructor(listener: BlockListener) {
    this.#listener = listener;
  }

  take({ thinking, text, refusal, calls }: Turn): void {
    if (thinking !== '') this.#say('thinking', thinking);
    if (text !== '') this.#say('text', text);
    if (refusal !== '') this.#say('refusal', refusal);
    for (const call of calls) this.#call(call);
  }

  /** Closes what is open. */
  end(): void {
    this.#endTools();
    this.#endText();
  }

  #say(kind: 'thinking' | 'text' | 'refusal', text: string): void {
    if (this.#open !== kind) {
      this.end();
      this.#listener.open({ kind });
      this.#open = kind;
    }
    this.#listener.grow(text);
  }

  #endText(): void {
    if (this.#open !== null) this.#listener.close();
    this.#open = null;
  }

  #call(call: TurnCall): void {
    const tool = this.#toolOf(call);
    if (tool.state === 'closed') {
      if (call.arguments.trim() === '') return;
      throw new UntranslatableError('The provider went on with a tool call that had ended.');
    }
    tool.name ||= call.name ?? '';
    tool.unsent += call.arguments;
    this.#unsent += call.arguments.length;
    this.#advance();
    if (this.#unsent > MAX_UNSENT)
      throw new UntranslatableError('The provider sent tool calls by turns that are too large to sort.');
  }

  #toolOf({ index, id, name }: TurnCall): Tool {
    const known = this.#tools.get(index);
    // Some providers number every call 0 and tell them apart by id.
    if (known && (id === null || name === null || id === known.id)) return known;
    if (++this.#count > MAX_TOOL_CALLS)
      throw new UntranslatableError('The provider made too many tool calls.');
    const tool: Tool = {
      id: id ?? `call_${randomUUID().replaceAll('-', '')}`,
      name: '',
      unsent: '',
      end: new ObjectEnd(),
      state: 'waiting',
    };
    this.#tools.set(index, tool);
    this.#queue.push(tool);
    return tool;
  }

  #advance(): void {
    for (;;) {
      const [tool, next] = this.#queue;
      if (!tool?.name) return;
      this.#send(tool);
      if (!next || !tool.end.isReached) return;
      this.#close(tool);
    }
  }

  #send(tool: Tool): void {
    if (tool.state === 'waiting') {
      this.#endText();
      this.#listener.open({ kind: 'tool', id: tool.id, name: tool.name });
      tool.state = 'open';
    }
    if (tool.unsent === '') return;
    this.#listener.grow(tool.unsent);
    tool.end.feed(tool.unsent);
    this.#unsent -= tool.unsent.length;
    tool.unsent = '';
  }

  #close(tool: Tool): void {
    this.#listener.close();
    tool.state = 'closed';
    this.#queue.shift();
  }

  #endTools(): void {
    for (const tool of [...this.#queue]) {
      this.#send(tool);
      this.#close(tool);
    }
  }
}
