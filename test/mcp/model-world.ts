import { serveMcp } from '../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../support/mcp-upstream.ts';
import { eventStream, type Script } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';

type Json = Record<string, any>;

export type ModelWorld = World & {
  upstream: McpUpstream;
  /** Bodies that reached the provider since it was told what to say. */
  sent(): Json[];
  /** Arguments of calls that have reached the MCP server. */
  reached(): Json[];
  ask(path: string, body: Json, key?: string): ReturnType<World['call']>;
};

/** A gateway with a model that says what the test tells it, and an MCP server `words` with two tools. */
export async function startModelWorld(
  env: Record<string, string> = {},
  now?: () => Date,
): Promise<ModelWorld> {
  const world = await startWorld(env, undefined, now);
  const upstream = await startMcpUpstream();
  upstream.tools = [tool('look.up', { annotations: { readOnlyHint: true } }), tool('delete')];
  upstream.onMessage = ({ id, method, params }) => {
    if (method !== 'tools/call') return undefined;
    const text = `${params.name} of ${params.arguments.word}`;
    return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } };
  };
  await serveMcp(world.app, 'words', { url: upstream.url });
  return {
    ...world,
    upstream,
    sent: () => world.provider.requests.map(({ body }) => JSON.parse(body.toString())),
    reached: () =>
      upstream.requests.flatMap(({ body }) => (body?.method === 'tools/call' ? [body.params.arguments] : [])),
    ask: (path, body, key) =>
      world.call({
        path,
        body: { model: 'gpt-test', ...body },
        config: { provider: `@${world.slug}` },
        ...(key !== undefined && { key }),
      }),
    async stop() {
      await world.stop();
      await upstream.stop();
    },
  };
}

export const words = (more: Json = {}) => ({ type: 'mcp', server_label: '@gateway-mcp/words', ...more });

/** The data of an event stream's events. */
export const eventsOf = (text: string): Json[] =>
  [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data = '']) =>
    data === '[DONE]' ? [] : [JSON.parse(data)],
  );

const frames = (events: Json[]): string[] =>
  events.map((event) => `${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);

export const streamOf = (...events: Json[]): Script => eventStream(frames(events));

/** Chunks of a chat completion. */
export const chunks = (deltas: Json[], finish: string): Script => {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-test' };
  const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
  return eventStream([
    ...frames([
      ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
      { ...head, choices: [], usage },
    ]),
    'data: [DONE]\n\n',
  ]);
};

export const functionItem = (callId: string, name: string, args: Json): Json => ({
  ...{ type: 'function_call', id: `fc_${callId}`, call_id: callId, name, status: 'completed' },
  arguments: JSON.stringify(args),
});

export const messageItem = (text: string): Json => ({
  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [] }],
});

export const responseOf = (output: Json[], id = 'resp_1'): Json => ({
  ...{ id, object: 'response', status: 'completed', model: 'gpt-test', output },
  usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
});

const partOf = ({ content: [part] }: Json, at: Json): Json[] => [
  { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
  { type: 'response.output_text.delta', ...at, delta: part.text },
];

/** The stream of a response, with each item in an event at its beginning and one at its end. */
export function responseStream(response: Json): Script {
  const begun = { ...response, status: 'in_progress', output: [] };
  return streamOf(
    { type: 'response.created', response: begun, sequence_number: 0 },
    { type: 'response.in_progress', response: begun, sequence_number: 1 },
    ...response.output.flatMap((item: Json, output_index: number) => [
      {
        ...{ type: 'response.output_item.added', output_index },
        item: { ...item, status: 'in_progress', ...(item.content && { content: [] }) },
      },
      ...(item.type === 'message' ? partOf(item, { output_index, item_id: item.id, content_index: 0 }) : []),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response },
  );
}
