import { MIN_SECRET, maskedText } from '../../../lib/masked-text.ts';
import { REDACTED } from '../../../lib/redaction.ts';
import type { KeptMessage } from '../draft.ts';
import type { CapturedAnswer } from './capture.ts';

/** A copy of an answer for the log, without the secrets that it quotes; the same one where it quotes none. */
export function withoutSecrets(answer: CapturedAnswer, secrets: readonly string[]): CapturedAnswer {
  const head = masked(answer.head, secrets, answer.isComplete);
  const tail = masked(answer.tail, secrets, true);
  const headers = maskedHeaders(answer.headers, secrets);
  if (head === answer.head && tail === answer.tail && headers === answer.headers) return answer;
  return { ...answer, headers, head, tail, size: answer.size + head.length - answer.head.length };
}

/** The same for a message of which the beginning is here. */
export function messageWithoutSecrets(message: KeptMessage, secrets: readonly string[]): KeptMessage {
  const { bytes, size } = message.body;
  const safe = masked(bytes, secrets, bytes.length === size);
  return {
    headers: maskedHeaders(message.headers, secrets),
    body: { bytes: safe, size: size + safe.length - bytes.length },
  };
}

function masked(bytes: Buffer, secrets: readonly string[], isWhole: boolean): Buffer {
  let safe = bytes;
  for (const secret of secrets) {
    if (safe.includes(secret)) {
      const quoted = Buffer.from(secret).toString('latin1');
      safe = Buffer.from(safe.toString('latin1').replaceAll(quoted, REDACTED), 'latin1');
    }
    if (!isWhole) safe = withoutBeginning(safe, secret);
  }
  return safe;
}

/** Where the text is cut off within a secret, what is there of it goes too. */
function withoutBeginning(bytes: Buffer, secret: string): Buffer {
  const end = bytes.toString('utf8', Math.max(0, bytes.length - secret.length));
  for (let length = secret.length - 1; length >= MIN_SECRET; length--)
    if (end.endsWith(secret.slice(0, length))) return bytes.subarray(0, bytes.length - length);
  return bytes;
}

/** Headers without the secrets in their values; the same ones where there are none. */
export function maskedHeaders<H extends KeptMessage['headers']>(headers: H, secrets: readonly string[]): H {
  let safe = headers;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || !holdsOne(value, secrets)) continue;
    const masked =
      typeof value === 'string' ? maskedText(value, secrets) : value.map((item) => maskedText(item, secrets));
    safe = { ...safe, [name]: masked };
  }
  return safe;
}

function holdsOne(value: string | string[], secrets: readonly string[]): boolean {
  for (const secret of secrets)
    if (typeof value === 'string' ? value.includes(secret) : value.some((item) => item.includes(secret)))
      return true;
  return false;
}
