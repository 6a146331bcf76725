import { setTimeout as wait } from 'node:timers/promises';
import { contents, messagesOf, prompts, readingOf, resources, templates, tools } from './offers.ts';
import { asking, questionOf, reportOf, rounds } from './questions.ts';

export type Json = Record<string, unknown>;
export type Message = { id?: string | number; method: string; params: Json };

/** How a call reaches its caller before it is answered. */
export type Reach = {
  notify?(message: Json): void;
  /** Asks the caller something and waits for the answer; absent where nobody can be asked in the middle of a call. */
  ask?(question: Json): Promise<Json>;
};

const PAUSE_MS = 50;

export const toolNames: readonly string[] = [
  ...Object.keys(contents),
  ...asking,
  ...Object.keys(rounds).filter((name) => !name.endsWith('_prompt')),
  ...['test_tool_with_logging', 'test_tool_with_progress', 'test_error_handling', 'test_reconnection'],
  ...['test_missing_capability', 'json_schema_2020_12_tool'],
  ...['test_trigger_tool_change', 'test_trigger_prompt_change'],
];

/** Tools and prompts that came to be while the server runs. */
const added = { tools: [] as string[], prompts: [] as string[] };

/** Told that a list reads otherwise. */
export const change: { tell: (list: 'tools' | 'prompts') => void } = { tell: () => undefined };

export const refusal = (code: number, message: string, data?: Json): Json => ({
  error: { code, message, ...(data && { data }) },
});
const said = (text: string, more: Json = {}): Json => ({
  result: { content: [{ type: 'text', text }], ...more },
});

/** What a request comes to in either era: `result` or `error`. */
export async function resultOf(message: Message, reach: Reach = {}): Promise<Json> {
  const { method, params } = message;
  if (method === 'tools/list') return { result: { tools: tools([...toolNames, ...added.tools]) } };
  if (method === 'prompts/list')
    return {
      result: { prompts: [...prompts, ...added.prompts.map((name) => ({ name, description: name }))] },
    };
  if (method === 'resources/list') return { result: { resources } };
  if (method === 'resources/templates/list') return { result: { resourceTemplates: templates } };
  if (method === 'completion/complete')
    return { result: { completion: { values: ['paris', 'park'], total: 2, hasMore: false } } };
  if (method === 'resources/read') {
    const reading = readingOf(String(params.uri));
    const data = { uri: String(params.uri) };
    return reading ? { result: { contents: [reading] } } : refusal(-32602, 'Resource not found', data);
  }
  if (method === 'prompts/get') {
    const messages = messagesOf(params.name, (params.arguments ?? {}) as Json);
    return messages ? { result: { messages } } : refusal(-32602, 'Unknown prompt');
  }
  if (method === 'tools/call') return called(message, reach);
  return refusal(-32601, 'Method not found');
}

async function called({ params }: Message, { notify, ask }: Reach): Promise<Json> {
  const name = String(params.name);
  const fixed = contents[name];
  if (fixed) return { result: { content: fixed } };
  const question = ask ? questionOf(name, (params.arguments ?? {}) as Json) : null;
  if (ask && question) return said(reportOf(name, await ask(question)));
  if (name === 'test_error_handling')
    return said('This tool intentionally returns an error for testing', { isError: true });
  if (name === 'test_tool_with_logging') return logged(notify);
  if (name === 'test_tool_with_progress') return progressed(params, notify);
  if (name.startsWith('test_trigger_')) return changed(name.includes('tool_change') ? 'tools' : 'prompts');
  if (toolNames.includes(name)) return said('Done.');
  return refusal(-32602, `Unknown tool: ${name}`);
}

function changed(list: 'tools' | 'prompts'): Json {
  const name = `test_added_${added[list].length + 1}`;
  added[list].push(name);
  change.tell(list);
  return said(name);
}

async function logged(notify: Reach['notify']): Promise<Json> {
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    notify?.({ method: 'notifications/message', params: { level: 'info', data } });
    await wait(PAUSE_MS);
  }
  return said('Tool with logging executed successfully');
}

async function progressed({ _meta }: Json, notify: Reach['notify']): Promise<Json> {
  const { progressToken } = (_meta ?? {}) as Json;
  for (const progress of [0, 50, 100]) {
    const params = { progressToken, progress, total: 100 };
    if (progressToken !== undefined) notify?.({ method: 'notifications/progress', params });
    await wait(PAUSE_MS);
  }
  return said(String(progressToken));
}
