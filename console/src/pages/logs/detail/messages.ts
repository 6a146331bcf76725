import { mediaIn, pictureIn } from './media.ts';

/** One turn of a conversation, as it is read by people. */
export type Message = {
  role: string;
  /** In order. */
  parts: Part[];
};

export type Part = {
  kind: 'text' | 'code' | 'media';
  text: string;
  /** Of a file that is a picture and came whole: its address within the page. */
  picture?: string | null;
};

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The turns of a request and its answer in the formats of chat, messages and responses; none for other calls. */
export function readConversation(request: unknown, response: unknown): Message[] {
  const asked = isObject(request) ? askedIn(request) : [];
  if (asked.length === 0) return [];
  return [...asked, ...answeredIn(response)];
}

function askedIn(request: Json): Message[] {
  const { messages, input, system, instructions, prompt } = request;
  const first = system ?? instructions;
  const turns = Array.isArray(messages) ? messages : Array.isArray(input) ? input : (input ?? prompt);
  const own = Array.isArray(turns)
    ? turns.map(messageOf)
    : typeof turns === 'string'
      ? [{ role: 'user', parts: partsOf(turns) }]
      : [];
  return [...(first === undefined ? [] : [{ role: 'system', parts: partsOf(first) }]), ...own];
}

function answeredIn(response: unknown): Message[] {
  if (typeof response === 'string') return streamed(response);
  if (!isObject(response)) return [];
  const { choices, content, output, error } = response;
  if (isObject(error)) return [{ role: 'error', parts: partsOf(error.message ?? error) }];
  if (Array.isArray(choices))
    return choices.filter(isObject).map((choice) => messageOf(choice.message ?? { content: choice.text }));
  if (Array.isArray(output)) return output.map(messageOf);
  return content === undefined ? [] : [{ role: 'assistant', parts: partsOf(content) }];
}

/** The text of an event stream: what its frames add up to. */
function streamed(text: string): Message[] {
  const frames = text.matchAll(/^data: ?(\{.*)$/gm);
  let whole = '';
  for (const [, json = ''] of frames) {
    const frame = parse(json);
    const [choice] = listOf(frame?.choices).filter(isObject);
    const delta = isObject(choice?.delta)
      ? choice.delta.content
      : isObject(frame?.delta)
        ? frame.delta.text
        : frame?.delta;
    if (typeof delta === 'string') whole += delta;
  }
  return whole === '' ? [] : [{ role: 'assistant', parts: partsOf(whole) }];
}

function parse(json: string): Json | null {
  try {
    return JSON.parse(json) as Json;
  } catch {
    // Of a body that was cut, the last frame is not whole.
    return null;
  }
}

function messageOf(value: unknown): Message {
  if (!isObject(value)) return { role: 'user', parts: partsOf(value) };
  const role = String(value.role ?? value.type ?? 'assistant');
  const calls = listOf(value.tool_calls).map((call): Message['parts'][number] => ({
    kind: 'code',
    text: JSON.stringify(call, null, 2),
  }));
  return { role, parts: [...partsOf(value.content ?? value.output ?? value.text), ...calls] };
}

function partsOf(content: unknown): Message['parts'] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') {
    const media = mediaIn(content);
    return [
      media
        ? { kind: 'media', text: media.type, picture: pictureIn(content) }
        : { kind: 'text', text: content },
    ];
  }
  if (Array.isArray(content)) return content.flatMap(partOf);
  return [{ kind: 'code', text: JSON.stringify(content, null, 2) }];
}

function partOf(part: unknown): Message['parts'] {
  if (!isObject(part)) return partsOf(part);
  if (typeof part.text === 'string') return partsOf(part.text);
  const type = String(part.type ?? 'part');
  if (/image|audio|file|document/.test(type))
    return [{ kind: 'media', text: type, picture: pictureOf(part) }];
  return [{ kind: 'code', text: JSON.stringify(part, null, 2) }];
}

/** The picture in a part, as the formats of chat, responses and messages have it. */
function pictureOf({ image_url: named, source }: Json): string | null {
  if (isObject(source) && source.type === 'base64')
    return pictureIn(`data:${source.media_type};base64,${source.data}`);
  return pictureIn(isObject(named) ? named.url : named);
}
