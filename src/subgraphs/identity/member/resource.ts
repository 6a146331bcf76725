import type { Resource } from '../../subgraph.ts';
import { memberModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedMember } from './service.ts';

export const member: Resource = {
  name: 'member',
  models: [memberModel],
  resolvers,
  references: { Member: ({ id }, context) => referencedMember(context, id) },
};
