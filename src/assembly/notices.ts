import type { Connection } from 'mongoose';
import type { HttpUpstream } from '../dataplane/send/http.ts';
import type { HostPolicy } from '../lib/http/custom-host.ts';
import type { Logger } from '../lib/logger.ts';
import { createLimitAlarms } from '../limits/alarms/index.ts';
import { createMail } from '../mail/index.ts';
import type { AuditTrail } from '../recording/audit/trail.ts';
import type { Settings } from '../settings/index.ts';
import type { Changes } from '../storage/changes.ts';
import type { Events } from '../storage/events/index.ts';
import type { Leases } from '../storage/leases.ts';
import type { Secrets } from '../storage/secrets.ts';
import { createKeyUpkeep } from '../subgraphs/identity/api-key/upkeep/index.ts';
import { recipientsOf } from '../subgraphs/limits/recipients.ts';
import { createWebhooks } from '../webhooks/index.ts';

type Given = {
  settings: Settings;
  db: Connection;
  secrets: Secrets;
  changes: Changes;
  audit: AuditTrail;
  events: Events;
  leases: Leases;
  http: HttpUpstream;
  hostPolicy: HostPolicy;
  now: () => Date;
  log: Logger;
};

/** What tells people and programs of what happens without them, and what it tells of. */
export function createNotices(given: Given) {
  const { settings, db, secrets, changes, audit, events, leases, http, hostPolicy, now, log } = given;
  const mail = createMail({ server: settings.mailServer, db, secrets, leases, now, log });
  const webhooks = createWebhooks({ db, secrets, send: http.fetch, hostPolicy, leases, now, log });
  const alarms = createLimitAlarms({
    recipientsOf: (alarm) => recipientsOf(db, alarm),
    ...{ db, mail, webhooks, events, audit, leases, now, log },
  });
  const keyUpkeep = createKeyUpkeep({ db, secrets, changes, audit, mail, webhooks, leases, now, log });
  return { mail, webhooks, alarms, keyUpkeep };
}
