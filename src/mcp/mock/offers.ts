import { isObject, type JsonObject } from '../../lib/json.ts';

const text = { type: 'string' };
const number = { type: 'number' };

export const mockTools: JsonObject[] = [
  {
    name: 'echo',
    title: 'Echo',
    description: 'Repeats a text.',
    inputSchema: { type: 'object', properties: { message: text }, required: ['message'] },
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
  {
    name: 'add',
    title: 'Add',
    description: 'Adds two numbers.',
    inputSchema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
    outputSchema: { type: 'object', properties: { sum: number }, required: ['sum'] },
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
  {
    name: 'get-time',
    title: 'Time',
    description: 'Tells the time, as RFC 3339 writes it in UTC.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  },
];

export const mockPrompts: JsonObject[] = [
  {
    name: 'greeting',
    title: 'Greeting',
    description: 'Asks for a short greeting.',
    arguments: [{ name: 'name', description: 'Who is greeted.', required: false }],
  },
];

const ABOUT = 'mock://server/about';

export const mockResources: JsonObject[] = [
  {
    uri: ABOUT,
    name: 'about',
    title: 'About',
    description: 'What the mock server is for.',
    mimeType: 'text/plain',
  },
];

export const mockTemplates: JsonObject[] = [
  {
    uriTemplate: 'mock://server/notes/{name}',
    name: 'notes',
    description: 'A note of any name.',
    mimeType: 'text/plain',
  },
];

const said = (value: string, more: JsonObject = {}): JsonObject => ({
  content: [{ type: 'text', text: value }],
  ...more,
});

const failed = (problem: string): JsonObject => said(problem, { isError: true });

/** What a tool answers; null for a name that no tool has. */
export function runMockTool(name: unknown, given: unknown): JsonObject | null {
  const { message, a, b } = isObject(given) ? given : {};
  if (name === 'echo') return typeof message === 'string' ? said(message) : failed('message must be a text.');
  if (name === 'get-time') return said(new Date().toISOString());
  if (name !== 'add') return null;
  if (typeof a !== 'number' || typeof b !== 'number') return failed('a and b must be numbers.');
  return said(String(a + b), { structuredContent: { sum: a + b } });
}

/** What is read at an address; null for one where nothing is. */
export function readMock(uri: unknown): JsonObject | null {
  if (typeof uri !== 'string') return null;
  const [, note] = /^mock:\/\/server\/notes\/([\w-]{1,64})$/.exec(uri) ?? [];
  if (uri !== ABOUT && note === undefined) return null;
  const content = uri === ABOUT ? 'This server is built into the gateway.' : `This is the note ${note}.`;
  return { contents: [{ uri, mimeType: 'text/plain', text: content }] };
}
