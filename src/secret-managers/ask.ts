import { SecretProblem } from './problem.ts';

export type ManagerRequest = {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
};

/** `json`: null where the body is not JSON. */
export type ManagerAnswer = { status: number; json: unknown };

/** Asks a secret manager, or who lets in there. Rejects with a SecretProblem when there is no answer in time. */
export type Ask = (request: ManagerRequest) => Promise<ManagerAnswer>;

/** Bytes of an answer; the largest secret of the three managers has 64 KB, and JSON may double it. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** `send`: connections that judge addresses. `timeoutMs`: from the request to the last byte of its answer. */
export const asking =
  (send: typeof fetch, timeoutMs: number): Ask =>
  async ({ method, url, headers, body }) => {
    const { host } = new URL(url);
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await send(url, { method, headers, body, signal, redirect: 'manual' });
      const text = await readText(answer);
      if (text === null) throw new SecretProblem('unreadable', `${host} answered more than a secret can be.`);
      return { status: answer.status, json: parsed(text) };
    } catch (error) {
      if (error instanceof SecretProblem) throw error;
      throw new SecretProblem('unreachable', `${host} ${reasonOf(error, timeoutMs)}.`, error);
    }
  };

function reasonOf(error: unknown, timeoutMs: number): string {
  if ((error as Error).name === 'TimeoutError') return `gave no answer within ${timeoutMs} ms`;
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  if (code === 'ERR_ADDRESS_REFUSED') return 'leads to a private address, which only TRUSTED_HOSTS opens';
  return `cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`;
}

async function readText(answer: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The status says whether the missing body matters.
    return null;
  }
}

/** Throws for a status that no answer of a manager has, or that asks to come back later. */
export function requireServing({ status }: ManagerAnswer, who: string): void {
  if (status >= 500 || status === 429) throw new SecretProblem('unreachable', `${who} answered ${status}.`);
  if (status >= 300 && status < 400)
    throw new SecretProblem('unreadable', `${who} answered ${status}, a redirect, which is not followed.`);
}
