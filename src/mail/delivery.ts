import type { Connection } from 'mongoose';
import type { Logger } from '../lib/logger.ts';
import { type Sending, sendNext } from '../storage/outgoing.ts';
import type { Secrets } from '../storage/secrets.ts';
import { type MailDocument, mailModel } from './model.ts';
import { secretPlace } from './outbox.ts';
import type { Transport } from './transport.ts';

export type DeliveryOptions = {
  db: Connection;
  secrets: Pick<Secrets, 'decrypt'>;
  transport: Transport;
  now: () => Date;
  log: Logger;
};

const MINUTE = 60;
/** After the seventh try a mail is given up, ten hours after it was written. */
const PAUSES = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * MINUTE);

/** Sends the mails that are due, one after the other, until none is left or the signal aborts. */
export async function deliverDue(options: DeliveryOptions, signal: AbortSignal): Promise<void> {
  const { db, secrets, transport, now, log } = options;
  const sending: Sending<MailDocument> = {
    model: mailModel(db),
    what: 'A mail',
    pauses: PAUSES,
    send: ({ _id: id, to, subject, text, sealed }) =>
      transport.send({
        ...{ id, to, subject },
        text: sealed === null ? text : text.replace(secretPlace, () => secrets.decrypt(sealed, id)),
      }),
    forgets: { sealed: null },
    ...{ now, log },
  };
  while (!signal.aborted && (await sendNext(sending)) !== 'none');
}
