import { Agent, request as httpRequest } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResult, Request } from '../load.ts';

/** Sends requests at a steady rate, whether earlier ones are answered or not, as many clients apart do. */
export async function paced(
  port: number,
  request: Request,
  { seconds, perSecond }: { seconds: number; perSecond: number },
): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true });
  const latencies: number[] = [];
  let failures = 0;
  const sent: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let number = 0; number < seconds * perSecond; number++) {
    const wait = startedAt + (number * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    sent.push(
      send(agent, port, request).then(
        (latency) => {
          latencies.push(latency);
        },
        () => {
          failures++;
        },
      ),
    );
  }
  await Promise.all(sent);
  agent.destroy();
  const elapsed = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? 0;
  return {
    requests: latencies.length,
    failures,
    perSecond: latencies.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
  };
}

/** Answers its milliseconds; rejects when the answer is no 200. */
function send(
  agent: Agent,
  port: number,
  { method = 'POST', path, headers, body }: Request,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sentAt = performance.now();
    const request = httpRequest(
      {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { 'content-length': body.length, ...headers },
      },
      (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - sentAt);
          else reject(new Error(`An answer was ${response.statusCode}.`));
        });
      },
    );
    request.once('error', reject);
    request.end(body);
  });
}
