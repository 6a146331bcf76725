import type { Resolvers } from '../resolvers.generated.ts';
import {
  createAssistant,
  deleteAssistant,
  getAssistant,
  listAssistants,
  listAssistantVersions,
  updateAssistant,
} from './service.ts';

export const resolvers = {
  Query: {
    assistant: (_parent, { id }, context) => getAssistant(context, id),
    assistants: (_parent, args, context) => listAssistants(context, args),
    assistantVersions: (_parent, args, context) => listAssistantVersions(context, args),
  },
  Mutation: {
    createAssistant: (_parent, { input }, context) => createAssistant(context, input),
    updateAssistant: (_parent, { id, input }, context) => updateAssistant(context, id, input),
    deleteAssistant: (_parent, { id }, context) => deleteAssistant(context, id),
  },
  Assistant: { id: (assistant) => assistant._id },
} satisfies Resolvers;
