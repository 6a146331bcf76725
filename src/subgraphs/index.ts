import { assistants } from './assistants/index.ts';
import { catalog } from './catalog/index.ts';
import { identity } from './identity/index.ts';
import { insights } from './insights/index.ts';
import { mcp } from './mcp/index.ts';
import { routing } from './routing/index.ts';
import type { Subgraph } from './subgraph.ts';

export const subgraphs: Subgraph[] = [identity, catalog, routing, insights, assistants, mcp];
