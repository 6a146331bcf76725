import type { Connection } from 'mongoose';
import { uuid } from '../lib/ids.ts';
import { redactText } from '../lib/redaction.ts';
import { isDuplicateBatch } from '../storage/duplicates.ts';
import type { Secrets } from '../storage/secrets.ts';
import { type MailDocument, type MailKind, mailModel } from './model.ts';

/** Something that people are told by mail. */
export type Alert = {
  /** Names the event, the same for whoever reports it again: each address gets one mail of it. */
  event: string;
  kind: MailKind;
  organisationId: string;
  workspaceId: string | null;
  to: readonly string[];
  subject: string;
  /** Plain text without secrets. */
  text: string;
};

export type Outbox = {
  /** Resolves when the mails are durable; a process sends them soon after. */
  sendAlert(alert: Alert): Promise<void>;
  /**
   * The same with a secret in place of `secretPlace`. It is stored sealed, shown to nobody, and forgotten once the mail is
   * sent. Without a mail server nothing is stored: the secret reaches its owner by another way.
   */
  sendSecret(alert: Alert, secret: string): Promise<void>;
};

/** What stands in a stored text where the mail has its secret. */
export const secretPlace = '[secret]';

/** Days for which mails are kept, sent or not. */
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;
const MAX_SUBJECT = 200;

export type OutboxOptions = {
  db: Connection;
  secrets: Pick<Secrets, 'encrypt'>;
  /** False where the installation has no mail server. */
  hasServer: boolean;
  /** Hears of new mails. */
  onMail: () => void;
  now: () => Date;
};

/** Writes mails into the database, from where one process at a time sends them. */
export function createOutbox({ db, secrets, hasServer, onMail, now }: OutboxOptions): Outbox {
  async function write(alert: Alert, secret: string | null): Promise<void> {
    const { organisationId, workspaceId, kind } = alert;
    const createdAt = now();
    const mails = [...new Set(alert.to)].map((to): MailDocument => {
      const _id = uuid();
      return {
        ...{ _id, organisationId, workspaceId, kind, to, createdAt },
        event: `${alert.event} ${to}`,
        subject: oneLine(alert.subject),
        text: redactText(alert.text),
        sealed: secret === null ? null : secrets.encrypt(secret, _id),
        status: hasServer ? 'pending' : 'kept',
        attempts: 0,
        nextAttemptAt: hasServer ? createdAt : null,
        lastError: null,
        sentAt: null,
        expiresAt: new Date(createdAt.getTime() + KEPT_DAYS * DAY_MS),
      };
    });
    if (mails.length === 0) return;
    // Unordered: a mail that is there already keeps no other one out.
    await mailModel(db)
      .insertMany(mails, { ordered: false })
      .catch((error: unknown) => {
        if (!isDuplicateBatch(error)) throw error;
      });
    onMail();
  }

  return {
    sendAlert: (alert) => write(alert, null),
    sendSecret: async (alert, secret) => (hasServer ? write(alert, secret) : undefined),
  };
}

/** Names that callers chose stand in subjects. */
const oneLine = (text: string): string =>
  redactText(text)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .slice(0, MAX_SUBJECT);
