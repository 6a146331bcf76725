import type { CallsItem, ContentPart, MessageItem, ThreadItem } from '../items.ts';
import type { RunDocument } from '../run.ts';
import { isFunctionTool, type RunTool, type ToolChoice } from '../settings.ts';
import { nameOfTool, type OfferedTools } from '../tools/offered.ts';

export type ChatMessage = Record<string, unknown> & { role: string };

type Asked = { messages: ChatMessage[]; room: Room; offered: OfferedTools };

/** What a turn asks the model, as a chat completion. */
export function requestOf(run: RunDocument, { messages, room, offered }: Asked): Record<string, unknown> {
  const tools = [...run.tools.filter(isFunctionTool), ...offered.functions];
  const { responseFormat: format } = run;
  return {
    model: run.model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length > 0 && {
      tools,
      tool_choice: choiceOf(run, offered),
      ...(!run.parallelToolCalls && { parallel_tool_calls: false }),
    }),
    ...(run.temperature !== null && { temperature: run.temperature }),
    ...(run.topP !== null && { top_p: run.topP }),
    ...(typeof format === 'object' && { response_format: format }),
    ...(run.reasoningEffort !== null && { reasoning_effort: run.reasoningEffort }),
    ...(room.completion !== null && { max_completion_tokens: room.completion }),
  };
}

/** Tokens that are left of a run's budgets; null for no bound. */
export type Room = { prompt: number | null; completion: number | null };

export const roomOf = ({ usage, maxPromptTokens, maxCompletionTokens }: RunDocument): Room => ({
  prompt: maxPromptTokens === null ? null : maxPromptTokens - (usage?.promptTokens ?? 0),
  completion: maxCompletionTokens === null ? null : maxCompletionTokens - (usage?.completionTokens ?? 0),
});

/** A forced choice is for the first turn alone: the run would call for ever. */
function choiceOf({ toolChoice, turn, tools }: RunDocument, offered: OfferedTools): ToolChoice {
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  if (isForced && turn > 0) return 'auto';
  if (typeof toolChoice === 'string') return toolChoice;
  if (toolChoice.type === 'function')
    return isAtHand(toolChoice.function.name, tools, offered) ? toolChoice : 'auto';
  const name = nameOfTool(offered, toolChoice.type);
  return name === undefined ? 'auto' : { type: 'function', function: { name } };
}

/** Tools of MCP servers may go between the making of a run and its first turn. */
const isAtHand = (name: string, tools: readonly RunTool[], { byName }: OfferedTools): boolean =>
  byName.has(name) || tools.some((tool) => isFunctionTool(tool) && tool.function.name === name);

/** The instructions of a run as the message before all others; none without instructions. */
export const systemMessages = ({ instructions }: RunDocument): ChatMessage[] =>
  instructions === '' ? [] : [{ role: 'system', content: instructions }];

/**
 * The items of a thread as chat messages, in groups that belong together: the words of a turn, its calls and all their
 * outputs. What was broken off is left out, and so are calls that nobody has made.
 */
export function historyOf(items: readonly ThreadItem[]): ChatMessage[][] {
  const groups: ChatMessage[][] = [];
  let said: { item: MessageItem; group: ChatMessage[] } | null = null;
  for (const item of items) {
    if (item.kind === 'message') {
      if (!isWhole(item)) continue;
      const group = [messageOf(item)];
      groups.push(group);
      said = { item, group };
    } else if (item.calls.every(({ output }) => output !== null)) {
      const isSameTurn = said !== null && said.item.runId === item.runId && said.item.turn === item.turn;
      const before = isSameTurn ? said?.group : undefined;
      const content = before?.[0]?.content ?? null;
      const group = [
        { role: 'assistant', content, tool_calls: item.calls.map(toolCallOf) },
        ...outputsOf(item),
      ];
      if (before) before.splice(0, before.length, ...group);
      else groups.push(group);
    }
  }
  return groups;
}

const isWhole = ({ status, incompleteReason }: MessageItem): boolean =>
  status === 'completed' || incompleteReason === 'max_tokens';

function messageOf({ role, content }: MessageItem): ChatMessage {
  const texts = content.map(textOf);
  const isPlain = role === 'assistant' || content.every(({ type }) => type === 'text');
  return { role, content: isPlain ? texts.join('\n') : content.map(chatPartOf) };
}

function textOf(part: ContentPart): string {
  if (part.type === 'text') return part.text.value;
  if (part.type === 'image_file') return `[image ${part.image_file.file_id}]`;
  return part.type === 'refusal' ? part.refusal : '';
}

/** An image that is a file is put in where the request is made. */
const chatPartOf = (part: ContentPart): object =>
  part.type === 'image_url' || part.type === 'image_file' ? part : { type: 'text', text: textOf(part) };

const toolCallOf = ({ id, name, arguments: given }: CallsItem['calls'][number]) => ({
  id,
  type: 'function',
  function: { name, arguments: given },
});

const outputsOf = ({ calls }: CallsItem): ChatMessage[] =>
  calls.map(({ id, output }) => ({ role: 'tool', tool_call_id: id, content: output ?? '' }));
