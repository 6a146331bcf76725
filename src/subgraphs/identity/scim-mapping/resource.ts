import type { Resource } from '../../subgraph.ts';
import { scimMappingModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedMapping } from './service.ts';

export const scimMapping: Resource = {
  name: 'scim-mapping',
  models: [scimMappingModel],
  ownedByWorkspace: true,
  resolvers,
  references: { ScimMapping: ({ id }, context) => referencedMapping(context, id) },
};
