import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LogRecord } from '../../src/recording/log/record.ts';
import { dataOf } from '../subgraphs/support.ts';
import { chatAnswer, json, type Script } from '../support/provider.ts';
import { recordsOf } from '../support/records.ts';
import {
  attributesOf,
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../support/trace-collector.ts';
import { created, messages, startWorld, until, type World } from '../support/world.ts';

const MILLISECOND = 1_000_000n;

let world: World;
let collector: TraceCollector;

beforeAll(async () => {
  collector = await startTraceCollector();
  world = await startWorld({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
});
afterAll(async () => {
  await world.stop();
  collector.stop();
});

/** The record of a call, found by a tag in its path. */
let tags = 0;
async function tagged(
  options: { headers?: Record<string, string>; key?: string; body?: object } = {},
  endpoint = '/chat/completions',
) {
  world.provider.play(json(200, chatAnswer('hi')));
  const path = `/v1${endpoint}?tag=${++tags}`;
  const answer = await world.call({ path, ...options });
  const [record] = await recordsOf(world.app, { requestUrl: path });
  return { answer, record: record as LogRecord };
}

describe('traces', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

  test.each([
    ['nothing', {}, { traceId: uuid, spanId: uuid, spanName: null, parentSpanId: null }],
    [
      'headers of the gateway',
      { 'trace-id': 't1', 'span-id': 's1', 'span-name': 'work', 'parent-span-id': 'p1' },
      { traceId: 't1', spanId: 's1', spanName: 'work', parentSpanId: 'p1' },
    ],
    [
      'traceparent',
      { traceparent },
      {
        traceId: '0af7651916cd43dd8448eb211c80319c',
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        spanName: 'POST /v1/chat/completions',
        parentSpanId: 'b7ad6b7169203331',
      },
    ],
    ['both', { traceparent, 'trace-id': 't2' }, { traceId: 't2', parentSpanId: 'b7ad6b7169203331' }],
    ['a broken traceparent', { traceparent: '00-xyz' }, { traceId: uuid, parentSpanId: null }],
    [
      'a traceparent of zeros',
      { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01` },
      { traceId: uuid, parentSpanId: null },
    ],
    ['the longest id', { 'trace-id': 'x'.repeat(256) }, { traceId: 'x'.repeat(256) }],
    ['an empty id', { 'trace-id': '' }, { traceId: uuid }],
  ])('from %s', async (_name, given, expected) => {
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name === 'traceparent' ? name : `x-gateway-${name}`,
        value,
      ]),
    );
    const { record, answer } = await tagged({ headers });
    expect(record).toMatchObject(expected);
    expect(answer.headers['x-gateway-trace-id']).toBe(record.traceId);
  });

  test.each([
    ['a traceparent', { traceparent: traceparent.replace(/01$/, '00'), tracestate: 'a=b' }, '00'],
    ['a trace id in its form', { 'x-gateway-trace-id': '0af7651916cd43dd8448eb211c80319c' }, '01'],
  ])('go on to the provider with %s, under the span of the try', async (_name, headers, flags) => {
    const { record } = await tagged({ headers: headers as Record<string, string> });
    const { headers: sent } = world.provider.requests.at(-1) as { headers: Record<string, string> };
    expect(sent.traceparent).toBe(`00-${record.traceId}-${record.spanId}-${flags}`);
    expect(sent.tracestate).toBe('tracestate' in headers ? 'a=b' : undefined);
  });

  test.each([
    ['no trace', {}],
    ['a trace id of another form', { 'x-gateway-trace-id': 'mine', traceparent }],
  ])('do not go on to the provider with %s', async (_name, headers) => {
    await tagged({ headers: headers as Record<string, string> });
    expect(world.provider.requests.at(-1)?.headers.traceparent).toBeUndefined();
  });

  test('are trees: the tries of a request below it, the request below its caller', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const tree = async () => {
      const answer = await world.app.graphql(
        `query ($traceId: String!) {
          trace(traceId: $traceId) {
            isWhole
            spans(limit: 9) { ...node children(limit: 9) { ...node children(limit: 9) { ...node } } }
          }
        }
        fragment node on Span { spanId spanName parentSpanId log { responseStatusCode lastUsedOptionJsonPath } }`,
        { traceId },
        world.app.workspaceKey,
      );
      return dataOf(answer).trace;
    };
    expect(await tree()).toEqual({ isWhole: true, spans: [] });
    const config = { strategy: { mode: 'fallback' }, targets: [{}, { override_params: { model: 'b' } }] };
    world.provider.play(json(500, {}), json(200, chatAnswer('hi')));
    const step = (name: string, parent?: string) => ({
      'x-gateway-trace-id': traceId,
      'x-gateway-span-id': name,
      ...(parent && { 'x-gateway-parent-span-id': parent }),
    });
    await world.call({ config, headers: { ...step('fallback', 'agent'), 'x-gateway-span-name': 'answer' } });
    world.provider.play(json(200, chatAnswer('hi')));
    await world.call({ headers: step('agent') });
    const inserted = {
      request: { url: 'https://tool.example', body: {} },
      response: { body: {} },
      metadata: { trace_id: traceId, span_id: 'loop', parent_span_id: 'loop' },
    };
    await created(world.app, '/v1/logs', inserted);
    await world.app.logged();
    const tries = await recordsOf(world.app, { traceId, parentSpanId: 'fallback' });
    expect(new Set(tries.map(({ spanId }) => spanId)).size).toBe(2);
    const log = (status: number, path = 'config') => ({
      responseStatusCode: status,
      lastUsedOptionJsonPath: path,
    });
    const span = (spanId: string, parentSpanId: string | null, more: object) => ({
      ...{ spanId, parentSpanId, spanName: null, log: null },
      ...more,
    });
    const answer = { spanName: 'answer' };
    expect(await tree()).toEqual({
      isWhole: true,
      spans: [
        span('agent', null, {
          log: log(200),
          children: [
            span('fallback', 'agent', {
              ...answer,
              children: tries.map(({ spanId }, index) =>
                span(spanId, 'fallback', {
                  ...answer,
                  log: log(index ? 200 : 500, `config.targets[${index}]`),
                }),
              ),
            }),
          ],
        }),
        span('loop', 'loop', { log: log(200), children: [] }),
      ],
    });
    const listed = await world.app.rest('GET', `/v1/logs?trace_id=${traceId}&span_id=fallback`);
    expect((listed.body as { total: number }).total).toBe(2);
  });
});

describe('exported spans of a config with targets', () => {
  const caller = 'b7ad6b7169203331';
  const a = { override_params: { model: 'a' } };
  const b = { override_params: { model: 'b' } };
  const missing = { provider: '@missing' };
  const bad = () => json(500, { error: { message: 'no' } });
  const good = () => json(200, chatAnswer('hi'));
  const fallback = (...targets: object[]) => ({ strategy: { mode: 'fallback' }, targets });
  let traces = 0;

  /** The spans and the logs of one call below the caller’s span. */
  async function spansOf(config: object, answers: Script[]) {
    const traceId = `0af7651916cd43dd8448eb211c8${(++traces).toString().padStart(5, '0')}`;
    world.provider.play(...answers);
    const answer = await world.call({
      config,
      headers: { traceparent: `00-${traceId}-${caller}-01` },
    });
    // Spans leave in the order of their calls: with that of a later call all of this one are here.
    world.provider.play(good());
    const later = 'f'.repeat(27) + traceId.slice(-5);
    await world.call({ headers: { 'x-gateway-trace-id': later } });
    await until(() => collector.spans.some((span) => span.traceId === later));
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    const records = await recordsOf(world.app, { traceId });
    return { answer, spans, records };
  }

  /** Name, status code (2 for failed) and parent of each span; parents by name. */
  const drawn = (spans: CollectedSpan[]) => {
    const names = new Map([[caller, 'caller'], ...spans.map(({ spanId, name }) => [spanId, name] as const)]);
    return spans
      .map(({ name, status, parentSpanId = '' }) => [name, status.code, names.get(parentSpanId)])
      .sort(([one], [other]) => (one < other ? -1 : 1));
  };

  test.each([
    [
      'a fallback',
      fallback(a, b),
      [bad, good],
      [
        ['chat', 0, 'caller'],
        ['chat a', 2, 'chat'],
        ['chat b', 0, 'chat'],
      ],
    ],
    [
      'a nested fallback that fails',
      fallback(fallback(a), b),
      [bad, bad],
      [
        ['chat', 2, 'caller'],
        ['chat a', 2, 'chat'],
        ['chat b', 2, 'chat'],
      ],
    ],
    [
      'a load balancer',
      { strategy: { mode: 'loadbalance' }, targets: [a, { ...b, weight: 0 }] },
      [good],
      [
        ['chat', 0, 'caller'],
        ['chat a', 0, 'chat'],
      ],
    ],
    [
      'a fallback that is refused after a try',
      fallback(a, missing),
      [bad],
      [
        ['chat', 2, 'caller'],
        ['chat a', 2, 'chat'],
      ],
    ],
    ['one target', { ...a }, [good], [['chat a', 0, 'caller']]],
  ])('are one tree below the caller’s: %s', async (_name, config, answers, expected) => {
    const { spans, records } = await spansOf(
      config,
      answers.map((answer) => answer()),
    );
    expect(drawn(spans)).toEqual(expected);
    // What the API says of the logs is what was exported.
    const exported = new Set(spans.map(({ spanId, parentSpanId }) => `${parentSpanId} > ${spanId}`));
    for (const { spanId, parentSpanId } of records) expect(exported).toContain(`${parentSpanId} > ${spanId}`);
    const [first, ...others] = [...spans].sort((one, other) => one.name.length - other.name.length);
    for (const { startTimeUnixNano, endTimeUnixNano } of others) {
      expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(first?.startTimeUnixNano));
      expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(BigInt(first?.endTimeUnixNano) + MILLISECOND);
    }
  });

  test('the call’s has its status and the config, and leaves tokens and cost to the tries', async () => {
    const { spans } = await spansOf(fallback(a, b), [bad(), good()]);
    const [call, ...tries] = ['chat', 'chat a', 'chat b'].map((name) =>
      spans.find((span) => span.name === name),
    );
    expect(call).toMatchObject({ kind: 2 });
    const attributes = attributesOf(call as CollectedSpan);
    expect(attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'sluice.endpoint': 'chatComplete',
      'sluice.workspace.id': world.app.workspaceId,
    });
    expect(Object.keys(attributes).filter((name) => name.startsWith('gen_ai.'))).toEqual([]);
    expect(tries.map((span) => span?.kind)).toEqual([3, 3]);
  });

  test('checks of guardrails are below the try that they were made for', async () => {
    const contains = (words: string[]) => ({
      id: 'default.contains',
      parameters: { words, operator: 'none' },
    });
    const webhook = {
      id: 'default.webhook',
      parameters: { webhookURL: 'http://127.0.0.1:1/', timeout: 1000 },
    };
    const config = {
      ...a,
      input_guardrails: [{ id: 'asks', checks: [contains(['evil']), webhook] }],
      output_guardrails: [{ id: 'reads', checks: [contains(['hi']), contains(['x'])], deny: true }],
    };
    const { answer, spans } = await spansOf(config, [good()]);
    expect(answer.status).toBe(446);
    // The last check was left out, since the one before it refused the answer.
    expect(drawn(spans)).toEqual([
      ['chat a', 2, 'caller'],
      ['guardrail default.contains', 0, 'chat a'],
      ['guardrail default.contains', 0, 'chat a'],
      ['guardrail default.webhook', 2, 'chat a'],
    ]);
    const told = spans.filter(({ name }) => name.startsWith('guardrail')).map(attributesOf);
    const common = { 'sluice.workspace.id': world.app.workspaceId, 'sluice.guardrail.async': false };
    expect(told).toEqual([
      expect.objectContaining({
        ...common,
        'sluice.guardrail.id': 'asks',
        'sluice.guardrail.phase': 'input',
        'sluice.guardrail.check': 'default.contains',
        'sluice.guardrail.check.verdict': 'passed',
      }),
      expect.objectContaining({
        ...common,
        'error.type': expect.any(String),
        'sluice.guardrail.check': 'default.webhook',
        'sluice.guardrail.check.verdict': 'error',
      }),
      expect.objectContaining({
        ...common,
        'sluice.guardrail.id': 'reads',
        'sluice.guardrail.phase': 'output',
        'sluice.guardrail.denied': true,
        'sluice.guardrail.check.verdict': 'failed',
      }),
    ]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4);
    for (const { startTimeUnixNano, endTimeUnixNano } of spans)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  });

  test('the graph shows the same tree for a call that was refused after a try', async () => {
    const { answer, records } = await spansOf(fallback(a, missing), [bad()]);
    expect(answer.status).toBe(400);
    const graph = await world.app.graphql(
      `query ($traceId: String!) {
        trace(traceId: $traceId) { spans(limit: 9) {
          spanId parentSpanId log { responseStatusCode } children(limit: 9) { spanId log { responseStatusCode } }
        } }
      }`,
      { traceId: records[0]?.traceId },
      world.app.workspaceKey,
    );
    const [tried, refused] = records;
    expect(dataOf(graph).trace.spans).toEqual([
      {
        spanId: refused?.spanId,
        parentSpanId: caller,
        log: { responseStatusCode: 400 },
        children: [{ spanId: tried?.spanId, log: { responseStatusCode: 500 } }],
      },
    ]);
  });
});

describe('metadata', () => {
  const long = 'x'.repeat(200);

  test.each([
    ['strings', '{"a":"b","c":""}', { a: 'b', c: '' }],
    ['numbers and booleans as strings', '{"n":1.5,"t":true}', { n: '1.5', t: 'true' }],
    ['no lists, objects or nulls', '{"l":[1],"o":{"x":1},"z":null,"a":"b"}', { a: 'b' }],
    ['at most 128 characters of a value', JSON.stringify({ long }), { long: 'x'.repeat(128) }],
    ['nothing from text', 'not json', {}],
    ['nothing from a list', '["a"]', {}],
    ['nothing from null', 'null', {}],
    ['escapes', '{"a":"\\u00e9\\u4e2d"}', { a: 'é中' }],
    ['names of any kind', '{"a.b":"1","$c":"2","":"3"}', { 'a.b': '1', $c: '2', '': '3' }],
    ['no name that the database cannot hold', '{"a\\u0000b":"1","c":"d"}', { c: 'd' }],
  ])('%s', async (_name, header, expected) => {
    const { record, answer } = await tagged({ headers: { 'x-gateway-metadata': header } });
    expect(answer.status).toBe(200);
    expect(record.metadata).toEqual(expected);
  });

  test.each([
    ['pairs', 'a=b,c=d', { a: 'b', c: 'd' }],
    ['white space and properties', ' a = b ;prop=1 , c=d;x', { a: 'b', c: 'd' }],
    ['encoded values', 'who=%C3%89ric%20%2C', { who: 'Éric ,' }],
    ['broken encoding as it is', 'a=%E0%A4%A', { a: '%E0%A4%A' }],
    ['what is no pair not at all', 'a,=b,;,c=d', { c: 'd' }],
  ])('baggage: %s', async (_name, baggage, expected) => {
    expect((await tagged({ headers: { baggage } })).record.metadata).toEqual(expected);
  });

  test('the request’s own metadata go before its baggage', async () => {
    const headers = { baggage: 'a=baggage,b=baggage', 'x-gateway-metadata': '{"a":"own"}' };
    expect((await tagged({ headers })).record.metadata).toEqual({ a: 'own', b: 'baggage' });
  });

  test('at most 64 names', async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 'v']));
    const { record } = await tagged({ headers: { 'x-gateway-metadata': JSON.stringify(many) } });
    expect(Object.keys(record.metadata)).toHaveLength(64);
  });

  test('the user of the body, unless the metadata names one', async () => {
    const body = { model: `@${world.slug}/m`, messages, user: 'u-1' };
    expect((await tagged({ body })).record.metadata).toEqual({ _user: 'u-1' });
    const headers = { 'x-gateway-metadata': '{"_user":"u-2"}' };
    expect((await tagged({ body, headers })).record.metadata).toEqual({ _user: 'u-2' });
  });

  test('the user of a form as well', async () => {
    const form = new FormData();
    const fields = { model: `@${world.slug}/m`, user: 'u-1', prompt: 'a hat' };
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const request = new Request('http://local/', { method: 'POST', body: form });
    const headers = { 'content-type': request.headers.get('content-type') ?? '' };
    const body = Buffer.from(await request.arrayBuffer());
    const { record } = await tagged({ body, headers }, '/images/edits');
    expect(record.metadata).toEqual({ _user: 'u-1' });
  });

  test('the key’s before the request’s, the workspace’s before both', async () => {
    const { key } = await created(world.app, '/v1/api-keys/workspace/service', {
      name: 'labelled',
      scopes: ['completions.write'],
      defaults: { metadata: { a: 'key', b: 'key' } },
    });
    const headers = { 'x-gateway-metadata': '{"a":"request","c":"request"}' };
    const { record } = await tagged({ key, headers });
    expect(record.metadata).toEqual({ a: 'key', b: 'key', c: 'request' });
    const update = await world.app.rest('PUT', `/v1/admin/workspaces/${world.app.workspaceId}`, {
      key: world.app.adminKey,
      body: { defaults: { metadata: { b: 'workspace' } } },
    });
    expect(update.status).toBe(200);
    expect((await tagged({ key, headers })).record.metadata).toEqual({
      a: 'key',
      b: 'workspace',
      c: 'request',
    });
  });
});
