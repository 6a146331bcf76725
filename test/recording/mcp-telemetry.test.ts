import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startCountingServer } from '../../scripts/prove-mcp/upstream.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { legacyMessage, openLegacy, post } from '../support/mcp-wire.ts';
import {
  attributesOf,
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../support/trace-collector.ts';
import { startWorld, until, type World } from '../support/world.ts';

let world: World;
let collector: TraceCollector;
let upstream: Awaited<ReturnType<typeof startCountingServer>>;

const VERSION = '2026-07-28';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = 'b7ad6b7169203331';

beforeAll(async () => {
  collector = await startTraceCollector();
  upstream = await startCountingServer();
  world = await startWorld({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await serveMcp(world.app, 'counting', { url: upstream.url });
});
afterAll(async () => {
  await world.stop();
  await upstream.stop();
  collector.stop();
});

async function call(id: string, name: string): Promise<void> {
  const meta = (key: string) => `io.modelcontextprotocol/${key}`;
  const _meta = {
    [meta('protocolVersion')]: VERSION,
    [meta('clientInfo')]: { name: 'test', version: '1' },
    [meta('clientCapabilities')]: {},
  };
  await fetch(`${world.app.url}/counting/mcp`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'x-gateway-api-key': world.app.workspaceKey, traceparent: `00-${TRACE}-${PARENT}-01` },
      ...{ 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': name },
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name, arguments: { mark: `secret words of ${id}` }, _meta },
    }),
  });
}

const spansOf = (id: string): CollectedSpan[] =>
  collector.spans.filter((span) => attributesOf(span)['jsonrpc.request.id'] === id);

describe('a call of a tool', () => {
  test('is a span below its caller, with one of its server below it, and nothing of what was said', async () => {
    await call('good', 'count');
    await until(() => spansOf('good').length === 2);
    const [server, client] = spansOf('good').toSorted((one, other) => one.kind - other.kind);
    expect(server).toMatchObject({ name: 'tools/call count', kind: 2, traceId: TRACE, parentSpanId: PARENT });
    expect(client).toMatchObject({ name: 'tools/call count', kind: 3, parentSpanId: server?.spanId });
    expect(attributesOf(server as CollectedSpan)).toMatchObject({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': VERSION,
      'gen_ai.tool.name': 'count',
      'gen_ai.operation.name': 'execute_tool',
      'sluice.mcp.server': 'counting',
    });
    expect(attributesOf(server as CollectedSpan)).not.toHaveProperty('error.type');
    expect(attributesOf(client as CollectedSpan)).toMatchObject({ 'http.response.status_code': 200 });
    expect(JSON.stringify(collector.spans)).not.toContain('secret words');
  });

  test('that is refused here has no span of its server, and says why', async () => {
    await call('bad', 'no-such-tool');
    await until(() => spansOf('bad').length > 0);
    const [only, ...others] = spansOf('bad');
    expect(others).toEqual([]);
    expect(only).toMatchObject({ kind: 2, status: { code: 2 } });
    expect(attributesOf(only as CollectedSpan)).toMatchObject({
      'error.type': '-32602',
      'rpc.response.status_code': '-32602',
    });
  });

  test('is counted by method and by how it ended, never by tool', async () => {
    await world.app.logged();
    const key = { headers: { 'x-gateway-api-key': world.app.adminKey } };
    const text = await (await fetch(`${world.app.url}/metrics`, key)).text();
    const count = (side: string, error: string) =>
      Number(
        new RegExp(
          `^mcp_${side}_operation_duration_seconds_count{mcp_method_name="tools/call",error_type="${error}"} (\\d+)`,
          'm',
        ).exec(text)?.[1] ?? 0,
      );
    expect(count('server', '')).toBe(1);
    expect(count('client', '')).toBe(1);
    expect(count('server', 'denied') + count('server', 'error')).toBe(1);
    expect(count('client', 'denied') + count('client', 'error')).toBe(0);
    expect(text).not.toContain('no-such-tool');
  });
});

describe('a session', () => {
  const measured = async (): Promise<number[]> => {
    const key = { headers: { 'x-gateway-api-key': world.app.adminKey } };
    const text = await (await fetch(`${world.app.url}/metrics`, key)).text();
    return ['count', 'sum'].map((part) => {
      const name = `mcp_server_session_duration_seconds_${part}{mcp_protocol_version="2025-11-25"}`;
      const line = text.split('\n').find((each) => each.startsWith(name));
      return line === undefined ? 0 : Number(line.split(' ').at(-1));
    });
  };

  test('is measured when its caller ends it, once', async () => {
    const { headers } = await openLegacy(world.app, 'counting');
    await post(world.app, '/counting/mcp', legacyMessage('ping'), headers);
    expect(await measured()).toEqual([0, 0]);
    const end = () =>
      fetch(`${world.app.url}/counting/mcp`, {
        method: 'DELETE',
        headers: { 'x-gateway-api-key': world.app.workspaceKey, ...headers },
      });
    expect((await end()).status).toBe(200);
    const [count, sum] = await measured();
    expect(count).toBe(1);
    expect(sum).toBeGreaterThanOrEqual(0);
    expect(sum).toBeLessThan(600);
    expect((await end()).status).toBe(404);
    expect((await measured())[0]).toBe(1);
  });
});
