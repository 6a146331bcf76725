import { REDACTED } from './redaction.ts';

/** Characters of the shortest secret that is looked for: `none` and `test` are words, and credentials of private servers. */
export const MIN_SECRET = 8;

/** The text with every occurrence of a secret replaced. */
export const maskedText = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((safe, secret) => safe.replaceAll(secret, REDACTED), text);
