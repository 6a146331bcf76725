import type { CreateAssistantInput, UpdateAssistantInput } from '../../types.generated.ts';
import { MOST_TOOLS, metadataOf, responseFormatOf, toolsOf } from '../members/index.ts';
import type { AssistantMembers } from './model.ts';

/** The JSON members of an input, checked; those that are absent are left out. */
function checked(input: UpdateAssistantInput): Partial<AssistantMembers> {
  return {
    ...(input.tools !== undefined && { tools: toolsOf(input.tools, 'input.tools', MOST_TOOLS.assistant) }),
    ...(input.metadata !== undefined && { metadata: metadataOf(input.metadata, 'input.metadata') }),
    ...(input.responseFormat !== undefined && {
      responseFormat: responseFormatOf(input.responseFormat, 'input.responseFormat'),
    }),
  };
}

const plainNames = ['name', 'description', 'instructions', 'temperature', 'topP', 'reasoningEffort'] as const;

const plain = (input: UpdateAssistantInput): Partial<AssistantMembers> =>
  Object.fromEntries(plainNames.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));

/** All members of a new assistant. */
export const newMembers = (input: CreateAssistantInput): AssistantMembers => ({
  name: null,
  description: null,
  instructions: null,
  tools: [],
  toolResources: null,
  metadata: {},
  temperature: null,
  topP: null,
  responseFormat: 'auto',
  reasoningEffort: null,
  ...changedMembers(input),
  model: input.model,
});

/** The members that an update changes. */
export const changedMembers = (input: UpdateAssistantInput): Partial<AssistantMembers> => ({
  ...plain(input),
  ...checked(input),
  ...(input.model != null && { model: input.model }),
});
