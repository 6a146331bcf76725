import { isObject, type JsonObject } from '../../lib/json.ts';

/** Characters of a result that a model gets. */
const MAX_TEXT = 256 * 1024;

/** What a model reads of the result of a tool: its texts, and what is structured unless a text says it already. */
export function resultText({ content, structuredContent }: JsonObject): string {
  const texts = (Array.isArray(content) ? content : []).flatMap((item) =>
    isObject(item) ? textOf(item) : [],
  );
  if (structuredContent !== undefined && !texts.some((text) => isSame(text, structuredContent)))
    texts.push(JSON.stringify(structuredContent));
  const text = texts.join('\n');
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}\n[cut after ${MAX_TEXT} characters]`;
}

function textOf(item: JsonObject): string[] {
  if (item.type === 'text') return [String(item.text)];
  if (item.type === 'resource_link') return [`${item.name ?? ''} ${item.uri}`.trim()];
  if (item.type === 'resource' && isObject(item.resource))
    return [typeof item.resource.text === 'string' ? item.resource.text : `[resource ${item.resource.uri}]`];
  return [`[${item.type}, ${item.mimeType ?? 'of an unknown type'}]`];
}

function isSame(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    // A text that is no JSON says something else.
    return false;
  }
}
