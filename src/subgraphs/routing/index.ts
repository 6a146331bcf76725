import type { Subgraph } from '../subgraph.ts';
import { config } from './config/resource.ts';

export const routing: Subgraph = { name: 'routing', resources: [config] };
