import { z } from 'zod';

/** Where mails are handed over, and in whose name. */
export type MailServerSettings = { url: string; from: string };

const smtpUrl = z
  .string()
  .max(2048)
  .refine(isSmtpUrl, 'must be a URL such as smtp://user:password@mail.example.com:587');

function isSmtpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
}

/** An address, or a name with an address in angle brackets. */
const sender = z
  .string()
  .max(320)
  .regex(
    /^[^\s@<>\p{C}]+@[^\s@<>\p{C}]+$|^[^<>\p{C}]*<[^\s@<>\p{C}]+@[^\s@<>\p{C}]+>$/u,
    'must be an address such as `Sluice <sluice@example.com>`',
  );

/** Settings of the mail that the gateway sends. */
export const mailSettings = {
  SMTP_URL: smtpUrl
    .optional()
    .describe(
      'mail server, `smtp://user:password@host:port` (with STARTTLS where the server has it) or `smtps://…`; without it ' +
        'mails are only in the outbox: see docs/operations.md',
    ),
  MAIL_FROM: sender.optional().describe('sender of mails; needed with `SMTP_URL`'),
};

type MailValues = { SMTP_URL?: string | undefined; MAIL_FROM?: string | undefined };

/** What is missing beside the half that is set. */
export const missingOfMail = ({ SMTP_URL, MAIL_FROM }: MailValues): { path: string[]; message: string }[] =>
  SMTP_URL !== undefined && MAIL_FROM === undefined
    ? [{ path: ['MAIL_FROM'], message: 'is needed with SMTP_URL' }]
    : [];

export const mailServerOf = ({ SMTP_URL: url, MAIL_FROM: from }: MailValues): MailServerSettings | null =>
  url === undefined || from === undefined ? null : { url, from };
