import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CheckedCall, CheckServices } from '../../../src/guardrails/check.ts';

type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
type Answer = {
  status?: number;
  headers?: Record<string, string>;
  /** A text as it is, anything else as JSON; never ends where it is the symbol. */
  body?: unknown;
};

export const hangs = Symbol('hangs');

/** A service on this machine that answers as the test says, and what it was asked. */
export type Loopback = {
  url: string;
  received: Received[];
  answer: (request: Received) => Answer;
  stop(): Promise<void>;
};

export async function startLoopback(): Promise<Loopback> {
  const loopback: Loopback = { url: '', received: [], answer: () => ({}), stop: async () => undefined };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: Buffer.concat(chunks).toString() };
    loopback.received.push(received);
    const { status = 200, headers: own = {}, body = '' } = loopback.answer(received);
    if (body === hangs) return;
    response.writeHead(status, own);
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  loopback.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  loopback.stop = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return loopback;
}

/** Services over the network as it is; `via` sends what is meant for other machines to a loopback. */
export function networkServices(via?: Loopback): CheckServices & { modelCalls: unknown[]; model: unknown } {
  const services = {
    modelCalls: [] as unknown[],
    model: { status: 200, body: {} } as unknown,
    async send({ url, method, headers, body, timeoutMs, signal, isBinary }: any) {
      const target = new URL(url);
      const isLocal = target.hostname === '127.0.0.1';
      const to = isLocal || via === undefined ? url : via.url + target.pathname + target.search;
      const response = await fetch(to, {
        method,
        headers: { ...headers, ...(isLocal ? {} : { 'x-meant-for': target.origin }) },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: bytes.toString(isBinary ? 'base64' : 'utf8'),
      };
    },
    resolves: async (hostname: string) => hostname.endsWith('.example'),
    async callModel(_call: CheckedCall, request: unknown) {
      services.modelCalls.push(request);
      return services.model as { status: number; body: unknown };
    },
  };
  return services;
}
