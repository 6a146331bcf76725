import type { Subgraph } from '../subgraph.ts';
import { analytics } from './analytics/resource.ts';
import { auditLog } from './audit-log/resource.ts';
import { feedback } from './feedback/resource.ts';
import { limitAlarm } from './limit-alarm/resource.ts';
import { log } from './log/resource.ts';
import { logExport } from './log-export/resource.ts';
import { mail } from './mail/resource.ts';
import { savedView } from './saved-view/resource.ts';
import { trace } from './trace/resource.ts';
import { webhookEndpoint } from './webhook-endpoint/resource.ts';

export const insights: Subgraph = {
  name: 'insights',
  resources: [
    log,
    trace,
    feedback,
    logExport,
    auditLog,
    analytics,
    mail,
    savedView,
    webhookEndpoint,
    limitAlarm,
  ],
};
