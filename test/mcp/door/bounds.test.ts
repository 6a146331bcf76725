import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { serveMcp } from '../../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../../support/mcp-upstream.ts';
import { askModern, callModern, legacyMessage, post } from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

const MIB = 1024 * 1024;
let app: TestApp;
let upstream: McpUpstream;
beforeAll(async () => {
  app = await startApp();
  upstream = await startMcpUpstream('modern');
  let deep: Record<string, unknown> = { type: 'string' };
  for (let depth = 0; depth < 1000; depth++) deep = { type: 'object', properties: { more: deep } };
  upstream.tools = [tool('search'), tool('hostile', { inputSchema: deep }), tool('find')];
  await serveMcp(app, 'bounded', { url: upstream.url });
});
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

/** Answers the next call with a result of this many bytes altogether, as JSON or as an event. */
function answerWith(bytes: number, isEvent: boolean): void {
  upstream.onMessage = ({ id, method }, response) => {
    if (method !== 'tools/call') return undefined;
    const textOf = (text: string) =>
      JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
    const body = textOf('x'.repeat(bytes - textOf('').length));
    response.writeHead(200, { 'content-type': isEvent ? 'text/event-stream' : 'application/json' });
    response.end(isEvent ? `data: ${body}\n\n` : body);
    return true;
  };
}

describe('check 39: limits', () => {
  it.each([
    ['a result of 16 MiB', 16 * MIB, false],
    ['an event of less than 8 MiB', 8 * MIB - 1024, true],
  ])('let %s through', async (_what, bytes, isEvent) => {
    answerWith(bytes, isEvent);
    const { status, body } = await callModern(app, 'bounded', 'search');
    expect(status).toBe(200);
    expect(body.result.content[0].text.length).toBeGreaterThan(bytes - 1024);
  });

  it.each([
    ['a result of a byte more', 16 * MIB + 1, false],
    ['an event of more than 8 MiB', 8 * MIB + 1, true],
  ])('answer %s with an error', async (_what, bytes, isEvent) => {
    answerWith(bytes, isEvent);
    const { status, body } = await callModern(app, 'bounded', 'search');
    expect(status).toBe(200);
    expect(body.error).toMatchObject({ code: -31413, data: { server: 'bounded', maybe_executed: true } });
  });

  it('let a request of 4 MiB through, and answer one of a byte more with 413', async () => {
    upstream.onMessage = ({ id, method, params }) =>
      method === 'tools/call'
        ? {
            jsonrpc: '2.0',
            id,
            result: { content: [], structuredContent: { length: params.arguments.text.length } },
          }
        : undefined;
    const textOf = (text: string) =>
      JSON.stringify(legacyMessage('tools/call', { name: 'search', arguments: { text } }));
    const most = 4 * MIB - textOf('').length;
    const taken = await post(app, '/bounded/mcp', textOf('x'.repeat(most)));
    expect(taken.body.result.structuredContent).toEqual({ length: most });
    const refused = await post(app, '/bounded/mcp', textOf('x'.repeat(most + 1)));
    expect(refused).toMatchObject({ status: 413, body: { error: { code: -31413 } } });
  });

  it('hide one tool alone whose schema is too deep', async () => {
    const { body } = await askModern(app, 'bounded', 'tools/list');
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual(['search', 'find']);
    expect((await callModern(app, 'bounded', 'hostile')).body.error.code).toBe(-32602);
  });
});

it('check 38: a server that fails is not asked after the fifth time, and callers hear when to come again', async () => {
  const failing = await startMcpUpstream('modern');
  await serveMcp(app, 'failing', { url: failing.url });
  failing.status = 500;
  for (let turn = 0; turn < 5; turn++)
    expect((await callModern(app, 'failing', 'search')).body.error.code).toBe(-31502);
  failing.requests.length = 0;
  expect((await callModern(app, 'failing', 'search')).body.error).toMatchObject({
    ...{ code: -31503, data: { maybe_executed: false, retry_after_ms: expect.any(Number) } },
  });
  expect(failing.requests).toEqual([]);
  failing.status = null;
  failing.onMessage = ({ id, method }) =>
    method === 'tools/call' ? { jsonrpc: '2.0', id, result: { content: [] } } : undefined;
  await eventually(async () =>
    expect((await callModern(app, 'failing', 'search')).body.result).toMatchObject({ content: [] }),
  );
  await failing.stop();
});
