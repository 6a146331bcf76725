import type { JsonObject } from '../../lib/json.ts';

/** A piece of a chat message's content. */
export type Part =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: JsonObject }
  | { type: 'file'; file: JsonObject };

export type ToolCall = { id: string; name: string; arguments: string };

export const textPart = (text: string): Part => ({ type: 'text', text });

/** The messages of a chat request, in chat's order: a tool's result is text and follows the message that asked for it. */
export class Conversation {
  readonly #messages: JsonObject[] = [];
  /** Images and files of tool results, which chat takes from users only. */
  #attached: Part[] = [];

  system(parts: Part[]): void {
    this.#add('system', parts);
  }

  user(parts: Part[]): void {
    const attached = this.#takeAttached();
    this.#messages.push({ role: 'user', content: contentOf([...attached, ...parts]) });
  }

  assistant(parts: Part[]): void {
    this.#add('assistant', parts);
  }

  /** A call that the assistant made, beside what it said last. */
  toolCall({ id, name, arguments: text }: ToolCall): void {
    const call = { id, type: 'function', function: { name, arguments: text } };
    const last = this.#messages.at(-1);
    if (last?.role === 'assistant' && this.#attached.length === 0) {
      if (Array.isArray(last.tool_calls)) last.tool_calls.push(call);
      else last.tool_calls = [call];
      return;
    }
    this.#flush();
    this.#messages.push({ role: 'assistant', content: null, tool_calls: [call] });
  }

  toolResult(callId: string, parts: Part[]): void {
    const texts = parts.filter(({ type }) => type === 'text');
    const others = parts.filter(({ type }) => type !== 'text');
    if (others.length > 0) {
      this.#attached.push(textPart(`Attached to the result of the tool call ${callId}:`));
      for (const part of others) this.#attached.push(part);
      if (texts.length === 0) texts.push(textPart('The result is attached to the next message.'));
    }
    this.#messages.push({ role: 'tool', tool_call_id: callId, content: contentOf(texts) });
  }

  messages(): JsonObject[] {
    this.#flush();
    return this.#messages;
  }

  #add(role: string, parts: Part[]): void {
    this.#flush();
    this.#messages.push({ role, content: contentOf(parts) });
  }

  #flush(): void {
    if (this.#attached.length > 0) this.user([]);
  }

  #takeAttached(): Part[] {
    const attached = this.#attached;
    this.#attached = [];
    return attached;
  }
}

/** One text is a string, which every provider takes, while some take no lists. */
function contentOf(parts: Part[]): string | Part[] {
  const [first] = parts;
  if (!first) return '';
  return parts.length === 1 && first.type === 'text' ? first.text : parts;
}
