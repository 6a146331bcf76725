import { createHmac, randomBytes } from 'node:crypto';

// The signature of Standard Webhooks (standardwebhooks.com), version 1: receivers have libraries for it.

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A secret as receivers' libraries take it. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The value of `webhook-signature`: one signature for each secret that is good now. */
export const signatures = (
  secrets: readonly string[],
  { id, seconds, body }: { id: string; seconds: number; body: string },
): string => secrets.map((secret) => `v1,${signature(secret, `${id}.${seconds}.${body}`)}`).join(' ');

const signature = (secret: string, text: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(text)
    .digest('base64');
