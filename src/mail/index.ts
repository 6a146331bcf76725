import type { Connection } from 'mongoose';
import type { Logger } from '../lib/logger.ts';
import { createDuty, type Duty } from '../storage/duty.ts';
import type { Leases } from '../storage/leases.ts';
import { dueAt } from '../storage/outgoing.ts';
import type { Secrets } from '../storage/secrets.ts';
import { deliverDue } from './delivery.ts';
import { mailModel } from './model.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createMailTransport, type MailServer } from './transport.ts';

export { type MailDocument, type MailKind, mailModel } from './model.ts';
export { type Alert, type Outbox, secretPlace } from './outbox.ts';

type Options = {
  /** Null where the installation has no mail server: mails are kept for whoever looks at the outbox. */
  server: MailServer | null;
  db: Connection;
  secrets: Secrets;
  leases: Leases;
  now: () => Date;
  log: Logger;
};

/** The mails of an installation: the outbox that they are written to, and what sends them. */
export function createMail({ server, ...common }: Options): Outbox & Pick<Duty, 'start' | 'stop'> {
  const { db, now } = common;
  if (server === null) {
    return {
      ...createOutbox({ ...common, hasServer: false, onMail: () => undefined }),
      start: () => undefined,
      stop: async () => undefined,
    };
  }
  const transport = createMailTransport(server);
  const duty = createDuty({
    ...common,
    name: 'mail',
    isDue: async () => (await mailModel(db).exists(dueAt(now()))) !== null,
    work: (signal) => deliverDue({ ...common, transport }, signal),
  });
  return {
    ...createOutbox({ ...common, hasServer: true, onMail: duty.wake }),
    start: duty.start,
    async stop() {
      await duty.stop();
      transport.close();
    },
  };
}
