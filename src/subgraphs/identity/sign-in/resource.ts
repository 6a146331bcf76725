import type { Resource } from '../../subgraph.ts';
import { signInModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const signIn: Resource = { name: 'sign-in', models: [signInModel], resolvers };
