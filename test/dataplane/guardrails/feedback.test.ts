import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { dataOf } from '../../subgraphs/support.ts';
import type { TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, chatFrames, eventStream, json } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';
import { saying, without } from './guarded.ts';

let world: World;
let app: TestApp;
let provider: string;
beforeAll(async () => {
  world = await startWorld();
  app = world.app;
  provider = `@${world.slug}`;
});
afterAll(() => world.stop());

const judging = {
  id: 'judge',
  on_success: { feedback: { value: 5, weight: 0.5, metadata: { team: 'red' } } },
  on_fail: { feedback: { value: -5 } },
};

/** The feedback on a trace, oldest first. */
async function feedbackOn(traceId: string, key = app.workspaceKey): Promise<any[]> {
  const document =
    'query ($traceId: String) { feedbacks(traceId: $traceId) { data { id value weight metadata workspaceId apiKeyId aiModel } } }';
  const { feedbacks } = dataOf(await app.graphql(document, { traceId }, key));
  return feedbacks.data.reverse();
}

/** Makes a call, waits for its records, and answers the feedback that came with them. */
async function judged(config: object, options: { text?: string; body?: object; wanted?: number } = {}) {
  const { text = 'good', body = saying('hello'), wanted = 1 } = options;
  const isStream = (body as { stream?: boolean }).stream === true;
  const script = isStream ? eventStream(chatFrames([text])) : json(200, chatAnswer(text));
  const { answer, record } = await world.logged(script, { config: { provider, ...config }, body });
  const rows = await eventually(async () => {
    const found = await feedbackOn(record.traceId);
    expect(found).toHaveLength(wanted);
    return found;
  });
  return { answer, record, rows };
}

test.each<[string, string, boolean, number]>([
  ['passes', 'good', false, 200],
  ['fails', 'evil', false, 446],
  ['passes while it is streamed', 'good', true, 200],
  ['fails while it is streamed', 'evil', true, 446],
])('an answer that %s leaves feedback on its trace', async (_case, text, stream, status) => {
  const guardrail = without('evil', judging);
  const { answer, record, rows } = await judged(
    { output_guardrails: [guardrail] },
    { text, body: { ...saying('hello'), stream } },
  );
  expect(answer.status).toBe(status);
  const isGood = text === 'good';
  expect(rows).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/),
      value: isGood ? 5 : -5,
      weight: isGood ? 0.5 : 1,
      metadata: {
        ...(isGood && { team: 'red' }),
        successfulChecks: isGood ? 'default.contains' : '',
        failedChecks: isGood ? '' : 'default.contains',
        erroredChecks: '',
        guardrailId: 'judge',
        phase: 'output',
      },
      workspaceId: app.workspaceId,
      apiKeyId: record.apiKeyId,
      aiModel: record.aiModel,
    },
  ]);
});

test('so does a guardrail that nobody waits for, and one that refuses the question', async () => {
  const observing = without('evil', { ...judging, deny: false, async: true });
  const { rows } = await judged({ output_guardrails: [observing] }, { text: 'evil' });
  expect(rows).toMatchObject([{ value: -5 }]);
  const refused = await judged({ input_guardrails: [without('hello', judging)] });
  expect(refused.answer.status).toBe(446);
  expect(refused.rows).toMatchObject([{ value: -5, metadata: { phase: 'input' } }]);
});

test('it is left once for a call, however many targets the call tried', async () => {
  world.provider.play(json(500, {}), json(200, chatAnswer('good')));
  const traceId = world.newTrace();
  const answer = await world.call({
    config: {
      strategy: { mode: 'fallback' },
      targets: [{ provider }, { provider }],
      input_guardrails: [without('evil', judging)],
    },
    headers: { 'x-gateway-trace-id': traceId },
    body: saying('hello'),
  });
  expect(answer.status).toBe(200);
  await eventually(async () => {
    const { logs } = dataOf(
      await app.graphql(
        'query ($traceId: String) { logs(filters: { traceId: $traceId }) { data { id feedback(limit: 5) { value } } } }',
        { traceId },
        app.workspaceKey,
      ),
    );
    expect(logs.data.map(({ feedback }: { feedback: unknown }) => feedback)).toEqual([
      [{ value: 5 }],
      [{ value: 5 }],
    ]);
  });
});

test('a guardrail without feedback leaves none, and a neighbour sees nothing of what others left', async () => {
  const { record } = await judged({ input_guardrails: [without('evil', judging), without('bad')] });
  const neighbour = await app.createTenant();
  expect(await feedbackOn(record.traceId, neighbour.workspaceKey)).toEqual([]);
});
