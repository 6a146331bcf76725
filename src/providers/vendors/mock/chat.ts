import { BadRequest } from './bad-request.ts';
import { CREATED, exampleOf, idOf, textOf, usageOf, wantsUsage, wordsOf } from './content.ts';
import { type Script, scriptOf } from './script.ts';

type Body = Record<string, unknown>;
type Message = { role?: unknown; content?: unknown };
type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
type Reply = {
  content: string | null;
  refusal: string | null;
  toolCalls: ToolCall[];
  prompt: string;
  isCut: boolean;
};

/** A chat completion that echoes the last user message, calls a tool when it is told to, or fills in a JSON schema. */
export function chatCompletion(body: Body) {
  const reply = replyTo(body);
  const message = {
    role: 'assistant',
    content: reply.content,
    refusal: reply.refusal,
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

/**
 * The same reply as stream chunks: the role, a word a chunk, the end, and the usage when it was asked for. Each is made when it is
 * asked for, since a slow stream would hold all of them for minutes.
 */
export function chatFrames(body: Body): Iterable<unknown> {
  const head = {
    id: idOf('chatcmpl', body),
    object: 'chat.completion.chunk',
    created: CREATED,
    model: body.model,
  };
  return framesOf(replyTo(body), head, wantsUsage(body));
}

function* framesOf(reply: Reply, head: object, withUsage: boolean): Iterable<unknown> {
  const frame = (delta: unknown, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(withUsage && { usage: null }),
  });
  yield frame({ role: 'assistant', content: reply.content === null ? null : '' });
  for (const content of wordsOf(reply.content ?? '')) yield frame({ content });
  for (const refusal of wordsOf(reply.refusal ?? '')) yield frame({ refusal });
  for (const [index, call] of reply.toolCalls.entries()) yield frame({ tool_calls: [{ index, ...call }] });
  yield frame({}, finishReason(reply));
  if (withUsage) yield { ...head, choices: [], usage: usageOf(reply.prompt, spoken(reply)) };
}

const finishReason = (reply: Reply) =>
  reply.toolCalls.length > 0 ? 'tool_calls' : reply.isCut ? 'length' : 'stop';

const spoken = (reply: Reply) =>
  reply.content ?? reply.refusal ?? reply.toolCalls.map((call) => call.function.arguments).join(' ');

function replyTo(body: Body): Reply {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw new BadRequest('messages', 'must be a non-empty array.');
  const list = messages as Message[];
  const prompt = list.map((message) => textOf(message?.content)).join('\n');
  const echo = textOf(list.findLast((message) => message?.role === 'user')?.content);
  const plain = { content: null, refusal: null, toolCalls: [], prompt, isCut: false };
  const script = scriptOf(list);
  if (script?.kind === 'refuse') return { ...plain, refusal: REFUSAL };
  if (script?.kind === 'long') return { ...plain, ...longContent(body, script.words) };
  if (script?.kind === 'ask' && isAnswered(list))
    return { ...plain, content: fromTool(script.tool, script.text, textOf(list.at(-1)?.content)) };
  const tools = toolsToCall(body, list, script);
  if (tools.length > 0) {
    const given = script?.kind === 'ask' ? script.text : echo;
    return { ...plain, toolCalls: tools.map((tool, index) => callOf(tool, given, { body, index })) };
  }
  return { ...plain, content: contentFor(body.response_format, echo) };
}

const REFUSAL = 'The mock provider was asked to refuse.';

/** As many words as asked for and the request allows. */
function longContent({ max_completion_tokens: most, max_tokens: older }: Body, words: number) {
  const limit = [most, older].find((value) => typeof value === 'number') ?? words;
  const count = Math.min(words, limit as number);
  return {
    content: Array.from({ length: count }, (_, at) => `word${at + 1}`).join(' '),
    isCut: count < words,
  };
}

type Tool = { name: string; parameters?: unknown };

/**
 * `tool_choice` naming a function or `required` asks for a call, whatever came before; `auto` asks for one that no tool has
 * answered yet. Without `tool_choice` the mock speaks, for programs that only offer tools.
 */
function requestedTools(body: Body, messages: Message[]): Tool[] {
  const tools = toolsOf(body);
  const choice = body.tool_choice as string | { function?: { name?: string } } | undefined;
  if (choice === 'required' || (choice === 'auto' && !isAnswered(messages))) return tools.slice(0, 1);
  const named = typeof choice === 'object' ? choice?.function?.name : undefined;
  return tools.filter((tool) => tool.name === named).slice(0, 1);
}

/** The tools that a script asks for: none once they have answered, or where none may be called. */
function toolsToCall(body: Body, messages: Message[], script: Script | null): Tool[] {
  if (script?.kind !== 'tools' && script?.kind !== 'ask') return requestedTools(body, messages);
  if (body.tool_choice === 'none' || isAnswered(messages)) return [];
  const tools = toolsOf(body);
  if (script.kind === 'ask') return tools.filter(({ name }) => name === script.tool);
  return tools.slice(0, script.isAll ? undefined : 1);
}

/** Cites what a search found, and says what code printed. */
function fromTool(tool: 'file_search' | 'code_interpreter', asked: string, output: string): string {
  if (tool === 'code_interpreter') return output;
  const [marker] = /【[^】]{1,300}】/.exec(output) ?? [];
  return marker === undefined ? `Nothing was found for ${asked}` : `${asked} ${marker}`;
}

const toolsOf = ({ tools }: Body): Tool[] =>
  Array.isArray(tools)
    ? tools.flatMap((tool: { function?: Tool } | null) => (tool?.function ? [tool.function] : []))
    : [];

/** Whether a tool has answered what the user said last. */
const isAnswered = (messages: Message[]): boolean =>
  messages.findLastIndex((message) => message?.role === 'tool') >
  messages.findLastIndex((message) => message?.role === 'user');

const callOf = (tool: Tool, echo: string, { body, index }: { body: Body; index: number }): ToolCall => ({
  id: index === 0 ? idOf('call', body) : idOf('call', { body, index }),
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
