import { redactText } from '../lib/redaction.ts';
import { Undelivered } from '../storage/outgoing.ts';

export type Post = (url: string, headers: Record<string, string>, body: string) => Promise<number>;

/** Milliseconds from the request to the head of its answer. */
const TIMEOUT_MS = 10_000;
const MAX_REASON = 300;
/** The endpoint is gone for good, by its own word. */
export const GONE = 410;

/**
 * Posts to an endpoint and answers the status. Redirects are not followed: what is signed goes to the address that an
 * administrator wrote. The answer's body is left unread. Throws `Undelivered` where there is no answer.
 *
 * `send`: connections that judge addresses.
 */
export const posting =
  (send: typeof fetch): Post =>
  async (url, headers, body) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const answer = await send(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      await answer.body?.cancel();
      return answer.status;
    } catch (error) {
      throw new Undelivered(reasonOf(error), false);
    }
  };

function reasonOf(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  const cause = ((error as Error).cause ?? error) as Error & { code?: unknown };
  if (cause.code === 'ERR_ADDRESS_REFUSED')
    return 'the address is private, and only TRUSTED_HOSTS opens such ones';
  return redactText(typeof cause.code === 'string' ? cause.code : cause.message).slice(0, MAX_REASON);
}
