import type { LookupAddress } from 'node:dns';
import type { CheckRequest, CheckServices } from '../../guardrails/check.ts';
import { CheckBreakers, type CheckHouse } from '../../guardrails/engine/index.ts';
import { CheckThreads } from '../../guardrails/long-texts/check-threads.ts';
import { customHostProblem, type HostPolicy } from '../../lib/http/custom-host.ts';
import type { Logger } from '../../lib/logger.ts';
import type { HttpUpstream } from '../send/http.ts';

/** Bytes of an answer to a check. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

type Parts = {
  http: HttpUpstream;
  hostPolicy: HostPolicy;
  callModel: CheckServices['callModel'];
  log: Logger;
};

/** What checks share: connections that judge addresses, breakers, and threads for long texts, which `stop` ends. */
export function createCheckHouse({
  http,
  hostPolicy,
  callModel,
  log,
}: Parts): CheckHouse & { stop(): Promise<void> } {
  const longTexts = new CheckThreads(log);
  return {
    breakers: new CheckBreakers(),
    longTexts,
    stop: () => longTexts.stop(),
    services: {
      send: (request) => send(request, http, hostPolicy),
      resolves: (hostname, signal) => resolves(hostname, http, signal),
      callModel,
    },
  };
}

async function send(
  {
    url,
    method,
    headers,
    body,
    timeoutMs,
    signal,
    isBinary,
    maxAnswerBytes = MAX_ANSWER_BYTES,
  }: CheckRequest,
  http: HttpUpstream,
  hostPolicy: HostPolicy,
): ReturnType<CheckServices['send']> {
  const problem = customHostProblem(url) ?? hostPolicy.problem(url);
  if (problem) throw new Error(`The address is not allowed: ${problem}`);
  const answer = await http.fetch(url, {
    method,
    headers: { ...headers },
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    ...(body !== undefined && { body }),
  });
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: (await boundedBytes(answer, maxAnswerBytes)).toString(isBinary ? 'base64' : 'utf8'),
  };
}

async function boundedBytes(answer: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > limit) throw new Error(`The answer has more than ${limit} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whether a name leads to addresses that may be connected to, without a connection. */
function resolves(hostname: string, { guard }: HttpUpstream, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(false), { once: true });
    const answer = (error: Error | null, found: string | LookupAddress[]) =>
      resolve(error === null && found.length > 0);
    try {
      guard.lookupAt(hostname, 443)(hostname, { all: true }, answer);
    } catch {
      resolve(false);
    }
  });
}
