import { redactText } from '../lib/redaction.ts';

/** Characters of a message: it quotes what the caller sent, which may be a megabyte. */
const MAX_CHARACTERS = 2000;

/** A text for callers: without the secrets that they may have put in a wrong place, and of a bounded length. */
export function publicText(text: string): string {
  const redacted = redactText(text);
  return redacted.length > MAX_CHARACTERS ? `${redacted.slice(0, MAX_CHARACTERS)}…` : redacted;
}
