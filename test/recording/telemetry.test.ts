import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chatAnswer, json } from '../support/provider.ts';
import {
  attributesOf,
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../support/trace-collector.ts';
import { read, startWorld, until, type World } from '../support/world.ts';

let world: World;
let collector: TraceCollector;
let spans: CollectedSpan[];

beforeAll(async () => {
  collector = await startTraceCollector();
  spans = collector.spans;
  world = await startWorld({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-secret',
  });
});
afterAll(async () => {
  await world.stop();
  collector.stop();
});

const call = async (traceId: string, answer = json(200, chatAnswer('a secret answer')), config?: object) => {
  world.provider.play(answer);
  return world.call({ headers: { 'x-gateway-trace-id': traceId }, config });
};
const spanOf = (logTrace: string) => until(() => spans.find(({ traceId }) => traceId === logTrace));
const metrics = async () => String((await world.app.rest('GET', '/metrics', { key: null })).body);

describe('spans for a collector', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';

  test('say in the conventions for GenAI what a call was, and nothing of its content', async () => {
    const { status } = await call(traceId);
    expect(status).toBe(200);
    const span = (await spanOf(traceId)) as CollectedSpan;
    expect(span).toMatchObject({ name: 'chat gpt-test', kind: 3, status: { code: 0 }, traceId });
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(attributesOf(span)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-test',
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'http.response.status_code': 200,
      'sluice.workspace.id': world.app.workspaceId,
    });
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    expect(JSON.stringify(spans)).not.toMatch(/secret answer|hello there/);
    expect(collector.credentials).toEqual(['Bearer collector-secret']);
  });

  test('have ids of the right form whatever the trace is called, the same for the same name', async () => {
    const seen = async (count: number) => until(() => spans.length >= count && spans.at(-1));
    const before = spans.length;
    await call('my trace');
    const first = await seen(before + 1);
    await call('my trace', json(500, { error: { message: 'no' } }));
    const second = await seen(before + 2);
    expect(first).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(second).toMatchObject({
      traceId: (first as CollectedSpan).traceId,
      status: { code: 2 },
      attributes: expect.arrayContaining([{ key: 'error.type', value: { stringValue: '500' } }]),
    });
  });

  test('are lost, counted and in nobody’s way when the collector refuses them', async () => {
    collector.troubles.push(400);
    const before = spans.length;
    await call('refused');
    await until(async () => /sluice_trace_spans_total\{outcome="failed"\} 1/.test(await metrics()));
    expect(spans).toHaveLength(before);
    await call('well-again');
    await until(() => spans.length > before);
    const text = await until(async () => {
      const now = await metrics();
      return now.includes(`sluice_trace_spans_total{outcome="exported"} ${spans.length}`) && now;
    });
    expect(text).toContain('sluice_trace_spans_total{outcome="dropped"} 0');
  });
});

describe('metrics', () => {
  test('count tries by kind of provider, endpoint, status and cache, with their times, tokens and cost', async () => {
    const count = (text: string, line: string) =>
      Number(
        text
          .split('\n')
          .find((each) => each.startsWith(line))
          ?.split(' ')
          .at(-1) ?? 0,
      );
    const line = (status: string) =>
      `sluice_provider_requests_total{provider="openai",endpoint="chatComplete",status="${status}",cache="DISABLED"}`;
    await world.app.logged();
    const before = await metrics();
    await call('counted');
    await call('counted', json(429, {}));
    await world.call({ config: { retry: 'wrong' } });
    await world.app.logged();
    const after = await metrics();
    const grown = (name: string) => count(after, name) - count(before, name);
    expect([grown(line('2xx')), grown(line('4xx'))]).toEqual([1, 1]);
    expect(grown('sluice_provider_requests_total{provider="none",endpoint="chatComplete",status="4xx"')).toBe(
      1,
    );
    expect(grown('sluice_provider_request_duration_seconds_count{provider="openai"}')).toBe(2);
    expect(grown('sluice_provider_upstream_duration_seconds_count{provider="openai"}')).toBe(2);
    expect(grown('sluice_tokens_total{provider="openai",direction="input"}')).toBeGreaterThan(0);
    expect(after).toContain('# TYPE sluice_cost_dollars_total counter');
    expect(after).not.toMatch(/gpt-test/);
    expect(count(after, 'sluice_open_requests{door="operations"}')).toBe(1);
  });

  test('count the streams that are open', async () => {
    const open = async () => Number(/^sluice_open_streams (\d+)$/m.exec(await metrics())?.[1]);
    expect(await open()).toBe(0);
    const going = Promise.withResolvers<void>();
    world.provider.play(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
      await going.promise;
      response.end('data: [DONE]\n\n');
    });
    const body = { model: `@${world.slug}/gpt-test`, stream: true, messages: [] };
    const answer = await world.open({ body });
    expect(await until(async () => (await open()) === 1)).toBe(true);
    going.resolve();
    await read(answer);
    expect(await until(async () => (await open()) === 0)).toBe(true);
  });
});
