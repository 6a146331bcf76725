import type { Resource } from '../../subgraph.ts';
import { signInLinkModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const signInLink: Resource = { name: 'sign-in-link', models: [signInLinkModel], resolvers };
