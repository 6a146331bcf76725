import type { Resource } from '../../subgraph.ts';
import { formerPlaceModel } from '../former-places.ts';
import { threadItemModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const threadMessage: Resource = {
  name: 'thread-message',
  models: [threadItemModel, formerPlaceModel],
  goesWithWorkspace: true,
  resolvers,
};
