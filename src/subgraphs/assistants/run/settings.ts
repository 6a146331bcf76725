import { z } from 'zod';
import { GatewayError } from '../../../errors/index.ts';
import {
  type HostedToolType,
  isFunctionTool,
  isOfMcpServer,
  type RunSettings,
  type RunTool,
  type ToolChoice,
  type TruncationStrategy,
} from '../../../runs/settings.ts';
import type { CreateRunInput } from '../../types.generated.ts';
import type { AssistantDocument } from '../assistant/index.ts';
import { MOST_TOOLS, namedToolResourcesOf, parsed, responseFormatOf, toolsOf } from '../members/index.ts';

const newestMessages = z.int().min(1);
const truncation = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), last_messages: newestMessages.nullish() }),
  z.strictObject({ type: z.literal('last_messages'), last_messages: newestMessages }),
]);
const bareTruncation = z.strictObject({ last_messages: newestMessages.nullish() });

const word = z.enum(['none', 'auto', 'required']);
const named = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    function: z.strictObject({ name: z.string().min(1).max(64) }),
  }),
  z.strictObject({ type: z.literal('file_search') }),
  z.strictObject({ type: z.literal('code_interpreter') }),
]);

/** What the request of a run may say of it; tool resources come with a new thread alone. */
export type RunInput = CreateRunInput & { toolResources?: unknown };

/** What a run is to do: the assistant's values under those of the request. `hosted`: the tools that the gateway runs. */
export function settingsOf(
  assistant: AssistantDocument,
  input: RunInput,
  hosted: ReadonlySet<HostedToolType>,
): RunSettings {
  const tools = input.tools == null ? assistant.tools : toolsOf(input.tools, 'input.tools', MOST_TOOLS.run);
  requireAvailable(tools, hosted, input.tools == null ? 'assistantId' : 'tools');
  return {
    model: input.model ?? assistant.model,
    instructions: instructionsOf(assistant, input),
    tools,
    toolResources:
      namedToolResourcesOf(input.toolResources, 'input.toolResources') ?? assistant.toolResources ?? {},
    temperature: input.temperature ?? assistant.temperature,
    topP: input.topP ?? assistant.topP,
    maxPromptTokens: input.maxPromptTokens ?? null,
    maxCompletionTokens: input.maxCompletionTokens ?? null,
    truncationStrategy: truncationOf(input.truncationStrategy),
    toolChoice: toolChoiceOf(input.toolChoice, tools),
    parallelToolCalls: input.parallelToolCalls ?? true,
    responseFormat:
      input.responseFormat == null
        ? assistant.responseFormat
        : responseFormatOf(input.responseFormat, 'input.responseFormat'),
    reasoningEffort: input.reasoningEffort ?? assistant.reasoningEffort,
  };
}

/** Instructions of a run stand in place of the assistant's; additional ones stand behind either. */
function instructionsOf(assistant: AssistantDocument, input: CreateRunInput): string {
  const own = input.instructions ?? assistant.instructions ?? '';
  const more = input.additionalInstructions ?? '';
  return own === '' || more === '' ? own + more : `${own}\n\n${more}`;
}

/** Refuses tools that nobody here runs, rather than to leave them out without a word. */
function requireAvailable(
  tools: readonly RunTool[],
  hosted: ReadonlySet<HostedToolType>,
  param: string,
): void {
  const missing = tools.find((tool) => !isFunctionTool(tool) && !hosted.has(tool.type));
  if (!missing) return;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `The tool ${missing.type} is not available here; runs take ${['function', ...hosted].join(', ')}.`,
    param: `input.${param}`,
    reason: 'invalid_value',
  });
}

/** A strategy without a type is said by its count alone. */
function truncationOf(value: unknown): TruncationStrategy {
  const param = 'input.truncationStrategy';
  if (value === undefined || value === null) return { type: 'auto', last_messages: null };
  if (typeof value === 'object' && !('type' in value)) {
    const count = parsed(bareTruncation, value, param).last_messages ?? null;
    return { type: count === null ? 'auto' : 'last_messages', last_messages: count };
  }
  const { type, last_messages: count } = parsed(truncation, value, param);
  return { type, last_messages: count ?? null };
}

function toolChoiceOf(value: unknown, tools: readonly RunTool[]): ToolChoice {
  const param = 'input.toolChoice';
  if (value === undefined || value === null) return 'auto';
  const choice: ToolChoice =
    typeof value === 'string' ? parsed(word, value, param) : parsed(named, value, param);
  const isThere =
    typeof choice === 'object'
      ? tools.some((tool) => isNamed(tool, choice))
      : choice !== 'required' || tools.length > 0;
  if (isThere) return choice;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `${param} names a tool that the run does not have.`,
    param,
    reason: 'invalid_value',
  });
}

const isNamed = (tool: RunTool, choice: Exclude<ToolChoice, string>): boolean =>
  choice.type === 'function'
    ? (isFunctionTool(tool) && tool.function.name === choice.function.name) ||
      isOfMcpServer([tool], choice.function.name)
    : tool.type === choice.type;
