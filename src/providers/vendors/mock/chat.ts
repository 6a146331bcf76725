import { BadRequest } from './bad-request.ts';
import { CREATED, exampleOf, idOf, textOf, usageOf, wantsUsage, wordsOf } from './content.ts';

type Body = Record<string, unknown>;
type Message = { role?: unknown; content?: unknown };
type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
type Reply = { content: string | null; toolCalls: ToolCall[]; prompt: string };

/** A chat completion that echoes the last user message, calls a tool when it is told to, or fills in a JSON schema. */
export function chatCompletion(body: Body) {
  const reply = replyTo(body);
  const message = {
    role: 'assistant',
    content: reply.content,
    refusal: null,
    ...(reply.toolCalls.length > 0 && { tool_calls: reply.toolCalls }),
  };
  return {
    id: idOf('chatcmpl', body),
    object: 'chat.completion',
    created: CREATED,
    model: body.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }],
    usage: usageOf(reply.prompt, spoken(reply)),
  };
}

/** The same reply as stream chunks: the role, a word a chunk, the end, and the usage when it was asked for. */
export function chatFrames(body: Body): unknown[] {
  const reply = replyTo(body);
  const head = {
    id: idOf('chatcmpl', body),
    object: 'chat.completion.chunk',
    created: CREATED,
    model: body.model,
  };
  const withUsage = wantsUsage(body);
  const frame = (delta: unknown, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(withUsage && { usage: null }),
  });
  return [
    frame({ role: 'assistant', content: reply.content === null ? null : '' }),
    ...wordsOf(reply.content ?? '').map((content) => frame({ content })),
    ...reply.toolCalls.map((call, index) => frame({ tool_calls: [{ index, ...call }] })),
    frame({}, finishReason(reply)),
    ...(withUsage ? [{ ...head, choices: [], usage: usageOf(reply.prompt, spoken(reply)) }] : []),
  ];
}

const finishReason = (reply: Reply) => (reply.toolCalls.length > 0 ? 'tool_calls' : 'stop');

const spoken = (reply: Reply) =>
  reply.content ?? reply.toolCalls.map((call) => call.function.arguments).join(' ');

function replyTo(body: Body): Reply {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw new BadRequest('messages', 'must be a non-empty array.');
  const list = messages as Message[];
  const prompt = list.map((message) => textOf(message?.content)).join('\n');
  const echo = textOf(list.findLast((message) => message?.role === 'user')?.content);
  const tool = requestedTool(body, list);
  if (tool) return { content: null, toolCalls: [callOf(tool, echo, body)], prompt };
  return { content: contentFor(body.response_format, echo), toolCalls: [], prompt };
}

type Tool = { name: string; parameters?: unknown };

/**
 * `tool_choice` naming a function or `required` asks for a call, whatever came before; `auto` asks for one that no tool has
 * answered yet. Without `tool_choice` the mock speaks, for programs that only offer tools.
 */
function requestedTool(body: Body, messages: Message[]): Tool | null {
  if (!Array.isArray(body.tools)) return null;
  const tools = body.tools.flatMap((tool: { function?: Tool }) => (tool?.function ? [tool.function] : []));
  const choice = body.tool_choice as string | { function?: { name?: string } } | undefined;
  if (choice === 'required' || (choice === 'auto' && !isAnswered(messages))) return tools[0] ?? null;
  const named = typeof choice === 'object' ? choice?.function?.name : undefined;
  return tools.find((tool) => tool.name === named) ?? null;
}

/** Whether a tool has answered what the user said last. */
const isAnswered = (messages: Message[]): boolean =>
  messages.findLastIndex((message) => message?.role === 'tool') >
  messages.findLastIndex((message) => message?.role === 'user');

const callOf = (tool: Tool, echo: string, body: Body): ToolCall => ({
  id: idOf('call', body),
  type: 'function',
  function: {
    name: tool.name,
    arguments: JSON.stringify(exampleOf(tool.parameters ?? { type: 'object' }, echo)),
  },
});

function contentFor(format: unknown, echo: string): string {
  const { type, json_schema: schema } = (format ?? {}) as {
    type?: unknown;
    json_schema?: { schema?: unknown };
  };
  if (type === 'json_object') return JSON.stringify({ echo });
  if (type === 'json_schema') return JSON.stringify(exampleOf(schema?.schema, echo));
  return echo;
}
