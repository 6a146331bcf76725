import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { serveMcp } from '../../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream } from '../../support/mcp-upstream.ts';
import { legacyMessage, openLegacy } from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

type Event = { id: string | null; data: string; retry?: string | undefined };
const STEPS = 5;
let app: TestApp;
let other: TestApp;
let upstream: McpUpstream;
/** What the server has said on the stream of its call, by the ids of its events. */
let said: Event[] = [];
let open: ServerResponse | null = null;
let endsAfter = STEPS + 2;

const textOf = ({ id, data }: Event) => `${id === null ? '' : `id: ${id}\n`}data: ${data}\n\n`;
const numberOf = (id: string) => Number(id.replace('e', ''));

beforeAll(async () => {
  const env = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  app = await startApp(env);
  other = await startApp({ ...env, MONGODB_URI: app.databaseUri });
  upstream = await startMcpUpstream('sessions');
  upstream.onMessage = ({ id, method }, response) => {
    if (method !== 'tools/call') return undefined;
    const progress = (step: number) => ({
      method: 'notifications/progress',
      params: { progressToken: 't', progress: step, message: `mail ada@example.com ${step}` },
    });
    const result = { content: [{ type: 'text', text: 'mail ada@example.com' }] };
    const messages = [...Array.from({ length: STEPS }, (_none, at) => progress(at + 1)), { id, result }];
    said = messages.map((each, at) => ({
      id: `e${at + 1}`,
      data: JSON.stringify({ jsonrpc: '2.0', ...each }),
    }));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: 20\n${textOf({ id: 'e0', data: '' })}`);
    for (const event of said.slice(0, Math.min(2, endsAfter))) response.write(textOf(event));
    open = response;
    if (endsAfter <= 2) response.end();
    return true;
  };
  upstream.onGet = (response, request) => {
    const last = String(request.headers['last-event-id'] ?? '');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (last !== '') for (const event of said.slice(numberOf(last))) response.write(textOf(event));
  };
  await serveMcp(app, 'long', { url: upstream.url });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await upstream.stop();
});

/** Reads a stream until enough has come, and leaves it then. */
async function eventsOf(response: Response, isEnough: (events: Event[]) => boolean): Promise<Event[]> {
  const events: Event[] = [];
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      if (data !== undefined)
        events.push({
          id: /^id: (.*)$/m.exec(block)?.[1] ?? null,
          data,
          retry: /^retry: (.*)$/m.exec(block)?.[1],
        });
    }
    if (isEnough(events)) break;
  }
  return events;
}

const messagesIn = (events: readonly Event[]) =>
  events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data));

const call = (headers: Record<string, string>, at = app, id = 'c1', slug = 'long') =>
  fetch(`${at.url}/${slug}/mcp`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'x-gateway-api-key': app.workspaceKey, ...headers },
    },
    body: JSON.stringify(
      legacyMessage('tools/call', { name: 'search', arguments: {}, _meta: { progressToken: 't' } }, id),
    ),
  });

const resume = (lastEventId: string, headers: Record<string, string>, at = other, slug = 'long') =>
  fetch(`${at.url}/${slug}/mcp`, {
    headers: {
      ...{ accept: 'text/event-stream', 'x-gateway-api-key': app.workspaceKey },
      ...{ ...headers, 'last-event-id': lastEventId },
    },
  });

describe('check 29: a stream that broke off', () => {
  it('goes on at another process behind its last event, and nothing is doubled or lost', async () => {
    endsAfter = STEPS + 2;
    const { headers } = await openLegacy(app, 'long');
    const first = await eventsOf(await call(headers), (events) => events.length >= 3);
    // The first event has no data: a stream can be taken up again before anything was said.
    expect(first[0]).toMatchObject({ data: '', retry: '20' });
    expect(first.every(({ id }) => id?.startsWith('gwe_'))).toBe(true);
    const last = first.at(-1)?.id ?? '';
    const rest = await eventsOf(await resume(last, headers), (events) =>
      messagesIn(events).some(({ id }) => id === 'c1'),
    );
    const messages = messagesIn([...first, ...rest]);
    const steps = messages.flatMap(({ params }) => (params ? [params.progress] : []));
    expect(steps).toEqual([1, 2, 3, 4, 5]);
    expect(messages.at(-1)).toMatchObject({ id: 'c1', result: { content: [{ type: 'text' }] } });
    const whole = await eventsOf(await resume(first[0]?.id ?? '', headers), (events) =>
      messagesIn(events).some(({ id }) => id === 'c1'),
    );
    expect(messagesIn(whole)).toHaveLength(STEPS + 1);
    await other.logged();
    const rows = await app.db.collection('logs').find({ aiModel: 'long/search' }).toArray();
    expect(rows.filter(({ isSuccess }) => isSuccess)).toHaveLength(2);
  });

  it('check 18: goes on under the guardrails of its server', async () => {
    endsAfter = STEPS + 2;
    const rule = { rule: 'ada@\\S+', redactText: '[masked]' };
    const { body } = await app.rest('POST', '/v1/guardrails', {
      key: app.adminKey,
      body: {
        ...{ name: 'mails', organisation_id: app.organisationId, actions: { deny: false } },
        checks: [{ id: 'default.regexReplace', parameters: rule }],
      },
    });
    const { id: guardrail } = body as { id: string };
    await serveMcp(app, 'masked', {
      url: upstream.url,
      configurations: { output_guardrails: [guardrail] },
    });
    const { headers } = await openLegacy(app, 'masked');
    const [first] = await eventsOf(await call(headers, app, 'c3', 'masked'), (events) => events.length >= 1);
    const rest = await eventsOf(await resume(first?.id ?? '', headers, app, 'masked'), () => false);
    const messages = messagesIn(rest);
    expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: 'mail [masked]' }] } });
    expect(messages).toHaveLength(STEPS + 1);
    expect(JSON.stringify(messages)).not.toContain('ada@');
  });

  it('cannot be taken up by another caller, in another session, or by an id that was changed', async () => {
    endsAfter = STEPS + 2;
    const { headers } = await openLegacy(app, 'long');
    const [first] = await eventsOf(await call(headers), (events) => events.length >= 1);
    const id = first?.id ?? '';
    const changed = `${id.slice(0, 20)}${id[20] === 'A' ? 'B' : 'A'}${id.slice(21)}`;
    const elsewhere = await openLegacy(app, 'long');
    expect((await resume(id, elsewhere.headers)).status).toBe(400);
    expect((await resume(changed, headers)).status).toBe(400);
    expect((await resume('e1', headers)).status).toBe(400);
    const { 'mcp-session-id': _session, ...without } = headers;
    expect((await resume(id, without)).status).toBe(405);
    expect((await resume(id, { ...headers, 'x-gateway-api-key': 'another' })).status).toBe(401);
  });

  it('is taken up by the gateway where it is the server that has ended it', async () => {
    endsAfter = 2;
    const { headers } = await openLegacy(app, 'long');
    const events = await eventsOf(await call(headers, app, 'c2'), () => false);
    const messages = messagesIn(events);
    expect(messages.flatMap(({ params }) => (params ? [params.progress] : []))).toEqual([1, 2, 3, 4, 5]);
    expect(messages.at(-1)).toMatchObject({ id: 'c2', result: { content: [{ type: 'text' }] } });
    expect(upstream.requests.filter(({ body }) => body?.id === 'c2')).toHaveLength(1);
  });

  it('cannot go on where its tool is switched off meanwhile', async () => {
    endsAfter = STEPS + 2;
    const { headers } = await openLegacy(app, 'long');
    const [first] = await eventsOf(await call(headers), (events) => events.length >= 1);
    const set = (enabled: boolean) =>
      app.rest('PUT', '/v1/mcp-integrations/long/capabilities', {
        key: app.adminKey,
        body: { capabilities: [{ name: 'search', type: 'tool', enabled }] },
      });
    expect((await set(false)).status).toBe(200);
    const refused = await eventsOf(await resume(first?.id ?? '', headers, app), () => false);
    expect(messagesIn(refused)).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: -32602 }) }),
    ]);
    await set(true);
    open?.end();
  });
});
