import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

/** Users as the identity provider brings them; what is stored is the user. */
export const scimUser: Resource = { name: 'scim-user', models: [], resolvers };
