import { identity } from './identity/index.ts';
import type { Subgraph } from './subgraph.ts';

export const subgraphs: Subgraph[] = [identity];
