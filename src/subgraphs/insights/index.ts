import type { Subgraph } from '../subgraph.ts';
import { analytics } from './analytics/resource.ts';
import { auditLog } from './audit-log/resource.ts';
import { feedback } from './feedback/resource.ts';
import { log } from './log/resource.ts';
import { logExport } from './log-export/resource.ts';
import { trace } from './trace/resource.ts';

export const insights: Subgraph = {
  name: 'insights',
  resources: [log, trace, feedback, logExport, auditLog, analytics],
};
