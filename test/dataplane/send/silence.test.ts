import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHttpUpstream } from '../../../src/dataplane/send/http.ts';
import { close, listen } from '../../../src/http/server.ts';
import { createHostPolicy } from '../../../src/lib/http/custom-host.ts';

const LIMIT = 300;
const LARGE = 4 * 1024 * 1024;

const answers: Record<string, (response: ServerResponse) => Promise<void> | void> = {
  '/nothing': () => undefined,
  '/half': (response) => void response.writeHead(200).write('half'),
  async '/slow'(response) {
    for (let each = 0; each < 6; each++) {
      response.write('slow ');
      await sleep(LIMIT / 3);
    }
    response.end();
  },
  '/large': (response) => void response.end(Buffer.alloc(LARGE)),
};

const server = createServer((request, response) => void answers[request.url ?? '']?.(response));
const upstream = createHttpUpstream({
  hostPolicy: createHostPolicy(['127.0.0.1']),
  ownPorts: new Set(),
  connectTimeout: 1000,
  silenceLimit: LIMIT,
});
let origin: string;

beforeAll(async () => {
  await listen(server, '127.0.0.1', 0);
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await upstream.stop();
  await close(server, 0);
});

/** Pauses `pause` milliseconds at the first piece of the body. */
const ask = (path: string, pause = 0) =>
  new Promise<{ status: number | null; bytes: number; failure: string | null }>((resolve) => {
    const seen = { status: null as number | null, bytes: 0 };
    const control = upstream.send(
      { origin, path, method: 'GET', headers: {}, body: null },
      {
        head(status) {
          seen.status = status;
          return true;
        },
        data(chunk) {
          const isFirst = seen.bytes === 0;
          seen.bytes += chunk.length;
          if (isFirst && pause > 0) void sleep(pause).then(() => control.resume());
          return !isFirst || pause === 0;
        },
        end: () => resolve({ ...seen, failure: null }),
        fail: (failure, cause) => resolve({ ...seen, failure: `${failure}: ${cause.message}` }),
      },
    );
  });

const SILENT = 'transport: The provider was silent for 0.3 s.';

test('a provider that does not answer ends the request', async () => {
  expect(await ask('/nothing')).toEqual({ status: null, bytes: 0, failure: SILENT });
});

test('one that falls silent in the middle of its answer does, too', async () => {
  expect(await ask('/half')).toEqual({ status: 200, bytes: 4, failure: SILENT });
});

test('one that takes its time does not', async () => {
  expect(await ask('/slow')).toEqual({ status: 200, bytes: 30, failure: null });
});

test('nor does a caller that reads slowly', async () => {
  expect(await ask('/large', 3 * LIMIT)).toEqual({ status: 200, bytes: LARGE, failure: null });
});

test('holds for fetch as well', async () => {
  await expect(upstream.fetch(`${origin}/nothing`)).rejects.toMatchObject({
    cause: { code: 'ERR_PROVIDER_SILENT' },
  });
});
