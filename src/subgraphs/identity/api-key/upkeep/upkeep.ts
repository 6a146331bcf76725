import type { Connection } from 'mongoose';
import type { Logger } from '../../../../lib/logger.ts';
import type { Outbox } from '../../../../mail/index.ts';
import type { AuditTrail } from '../../../../recording/audit/trail.ts';
import type { Changes } from '../../../../storage/changes.ts';
import type { Leases } from '../../../../storage/leases.ts';
import type { Secrets } from '../../../../storage/secrets.ts';
import type { Webhooks } from '../../../../webhooks/index.ts';

/** What the work on keys needs that nobody asks for. */
export type UpkeepOptions = {
  db: Connection;
  secrets: Secrets;
  changes: Pick<Changes, 'publish'>;
  audit: AuditTrail;
  mail: Pick<Outbox, 'sendAlert'>;
  webhooks: Pick<Webhooks, 'publish'>;
  leases: Leases;
  now: () => Date;
  log: Logger;
};
