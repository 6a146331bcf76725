import { mailModel } from '../../../mail/index.ts';
import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const mail: Resource = { name: 'mail', models: [mailModel], resolvers };
