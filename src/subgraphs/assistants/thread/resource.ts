import type { Resource } from '../../subgraph.ts';
import { referencedThread } from './find.ts';
import { threadModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const thread: Resource = {
  name: 'thread',
  models: [threadModel],
  goesWithWorkspace: true,
  resolvers,
  references: { Thread: ({ id }, context) => referencedThread(context, id) },
};
