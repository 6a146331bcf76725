import type { Subgraph } from '../subgraph.ts';
import { analytics } from './analytics/index.ts';
import { auditLog } from './audit-log/index.ts';
import { feedback } from './feedback/index.ts';
import { log } from './log/index.ts';
import { logExport } from './log-export/index.ts';
import { trace } from './trace/index.ts';

export const insights: Subgraph = {
  name: 'insights',
  resources: [log, trace, feedback, logExport, auditLog, analytics],
};
