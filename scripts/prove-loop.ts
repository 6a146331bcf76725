// Leads a real gateway back to itself in every way that is known, and shows that each way ends at once: by a name that
// resolves to loopback, by a loopback address that is not the usual one, by the address of an interface, and through a
// forwarder on another port, which keeps the count of gateways or drops it. All hosts are trusted, so that only what is
// proved here stands against the loop.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../src/http/server.ts';
import { startProcess } from '../test/support/process.ts';

/** Nested calls, descriptors and bytes beyond which a way counts as open. */
const LIMITS = { calls: 110, descriptors: 500, megabytes: 100 };
const MAX_OPEN_CALLS_PER_KEY = 100;
/** Milliseconds after which a call that is still going round is cut off. */
const PATIENCE_MS = 4000;

const address = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const hosts = [hostname(), '127.0.0.2', ...(address ? [address] : [])];

const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-loop-'));
const sluice = await startProcess(directory, {
  HOST: '0.0.0.0',
  TRUSTED_HOSTS: [...hosts, '127.0.0.1'].join(),
  MAX_OPEN_CALLS_PER_KEY: String(MAX_OPEN_CALLS_PER_KEY),
  LOG_LEVEL: 'silent',
});
const { port } = new URL(sluice.url);
const { workspace_api_key: key } = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8'));

let forwarded = 0;
const forwarder = createServer((request, response) => {
  forwarded++;
  const headers = { ...request.headers };
  const path = request.url?.replace('/without-count', '');
  if (path !== request.url) delete headers['x-gateway-hops'];
  const onward = httpRequest(`${sluice.url}${path}`, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
});
const forwarderAt = `http://127.0.0.1:${await listen(forwarder, '127.0.0.1', 0)}`;

async function use() {
  const status = await readFile(`/proc/${sluice.pid}/status`, 'utf8');
  const descriptors = await readdir(`/proc/${sluice.pid}/fd`);
  return {
    descriptors: descriptors.length,
    megabytes: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024),
  };
}

/** Requests that have reached the front door of inference so far, those that are open included. */
async function requests(): Promise<number> {
  const text = await (await fetch(`${sluice.url}/metrics`)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}\\{door="inference".*\\} (\\d+)$`, 'gm'))].reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
  return sum('sluice_requests_total') + sum('sluice_open_requests');
}

type Answer = [status: number, body: { id?: string; error?: { message: string } }];

async function ask(method: string, path: string, body: object, signal?: AbortSignal): Promise<Answer> {
  const headers = { 'x-gateway-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(sluice.url + path, { method, headers, body: JSON.stringify(body), signal });
  return [response.status, (await response.json()) as Answer[1]];
}

/** Makes the workspace's default lead to this host, and asks once. True when the way was closed. */
async function prove(way: string, host: string): Promise<boolean> {
  const config = { provider: 'openai', api_key: key, custom_host: host };
  const [made, { id }] = await ask('POST', '/v1/configs', { name: way, isDefault: 1, config });
  if (made !== 200) throw new Error(`The config could not be saved: ${made}.`);
  const before = { ...(await use()), requests: await requests() };
  const most = { ...before };
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { descriptors, megabytes } = await use();
      most.descriptors = Math.max(most.descriptors, descriptors);
      most.megabytes = Math.max(most.megabytes, megabytes);
      await sleep(20);
    }
  })();
  const body = { model: 'm', messages: [{ role: 'user', content: 'Who answers this?' }] };
  const answer = await ask('POST', '/v1/chat/completions', body, AbortSignal.timeout(PATIENCE_MS)).catch(
    (): Answer => [0, { error: { message: `cut off after ${PATIENCE_MS} ms` } }],
  );
  isOver = true;
  await watching;
  const calls = (await requests()) - before.requests;
  const [status, { error }] = answer;
  console.log(
    `${way}: ${status} ${error?.message}\n  calls ${calls}, descriptors ${before.descriptors} -> ${most.descriptors}, ` +
      `memory ${before.megabytes} -> ${most.megabytes} MB`,
  );
  await ask('DELETE', `/v1/configs/${id}`, {});
  return (
    [400, 429, 508].includes(status) &&
    calls <= LIMITS.calls &&
    most.descriptors - before.descriptors <= LIMITS.descriptors &&
    most.megabytes - before.megabytes <= LIMITS.megabytes
  );
}

try {
  const closed: boolean[] = [];
  for (const host of hosts) closed.push(await prove(`straight to ${host}`, `http://${host}:${port}/v1`));
  closed.push(await prove('over a forwarder', `${forwarderAt}/v1`));
  closed.push(await prove('over a forwarder that drops the count', `${forwarderAt}/without-count/v1`));
  if (forwarded === 0) console.error('Nothing went over the forwarder.');
  process.exitCode = closed.every(Boolean) && forwarded > 0 ? 0 : 1;
} finally {
  forwarder.close();
  forwarder.closeAllConnections();
  await sluice.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
}
