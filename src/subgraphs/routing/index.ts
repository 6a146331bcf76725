import type { Subgraph } from '../subgraph.ts';
import { config } from './config/index.ts';

export const routing: Subgraph = { name: 'routing', resources: [config] };
