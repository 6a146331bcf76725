import type { Resource } from '../../subgraph.ts';
import { assistantModel, assistantVersionModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedAssistant } from './service.ts';

export const assistant: Resource = {
  name: 'assistant',
  models: [assistantModel, assistantVersionModel],
  goesWithWorkspace: true,
  resolvers,
  references: { Assistant: ({ id }, context) => referencedAssistant(context, id) },
};
