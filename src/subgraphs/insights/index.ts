import type { Subgraph } from '../subgraph.ts';
import { auditLog } from './audit-log/index.ts';
import { log } from './log/index.ts';

export const insights: Subgraph = { name: 'insights', resources: [log, auditLog] };
