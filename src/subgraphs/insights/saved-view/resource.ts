import type { Resource } from '../../subgraph.ts';
import { savedViewModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedView } from './service.ts';

export const savedView: Resource = {
  name: 'saved-view',
  models: [savedViewModel],
  goesWithWorkspace: true,
  resolvers,
  references: { SavedView: ({ id }, context) => referencedView(context, id) },
};
