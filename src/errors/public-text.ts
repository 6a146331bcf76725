import { redactText } from '../lib/redaction.ts';

/** The most characters of a message: it may quote a megabyte that the caller sent. */
const MAX_CHARACTERS = 2000;

/** A text for callers, of a bounded length. Secrets are replaced: a caller may have put one in a wrong place. */
export function publicText(text: string): string {
  const redacted = redactText(text);
  return redacted.length > MAX_CHARACTERS ? `${redacted.slice(0, MAX_CHARACTERS)}…` : redacted;
}
