import { createTransport } from 'nodemailer';
import { redactText } from '../lib/redaction.ts';
import { Undelivered } from '../storage/outgoing.ts';

/** The mail server of an installation. */
export type MailServer = {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the start. */
  url: string;
  /** What stands in `From`. */
  from: string;
};

/** A mail as it leaves; `id` stays the same when it is sent again, so that mail programs show it once. */
export type OutgoingMail = { id: string; to: string; subject: string; text: string };

export type Transport = {
  /** Resolves when the server has taken the mail; throws `Undelivered`. */
  send(mail: OutgoingMail): Promise<void>;
  close(): void;
};

/** Milliseconds for each step of the conversation; all of them are over before another try may begin. */
const STEP_LIMIT_MS = 10_000;
const MAX_REASON = 300;

export function createMailTransport({ url, from }: MailServer): Transport {
  const transport = createTransport({
    url,
    connectionTimeout: STEP_LIMIT_MS,
    greetingTimeout: STEP_LIMIT_MS,
    socketTimeout: STEP_LIMIT_MS,
    dnsTimeout: STEP_LIMIT_MS,
    // A mail is text alone; nothing in it may lead to a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ id, to, subject, text }) {
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${id}@sluice.invalid>`,
          headers: { 'auto-submitted': 'auto-generated' },
        });
      } catch (error) {
        throw undelivered(error);
      }
    },
    close: () => transport.close(),
  };
}

/** What a server says about a credential or an address ends in a list that administrators see. */
function undelivered(error: unknown): Undelivered {
  const { code = 'EUNKNOWN', responseCode, response } = error as Record<string, string | number | undefined>;
  const reason = [code, response ?? (error as Error).message].filter(Boolean).join(': ');
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  return new Undelivered(
    redactText(reason).slice(0, MAX_REASON),
    isAboutMail && typeof responseCode === 'number' && responseCode >= 500,
  );
}
