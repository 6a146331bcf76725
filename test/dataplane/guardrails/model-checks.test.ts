import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { chatAnswer, json, type Script } from '../../support/provider.ts';
import { recordsOf } from '../../support/records.ts';
import { created, startWorld, type World } from '../../support/world.ts';
import { saying } from './guarded.ts';

let world: World;
const model = () => `@${world.slug}/moderator`;

/** Finds violence in what mentions it, and meets a rubric unless told otherwise; to callers it says what they said. */
const answering: Script = (request, response, raw) => {
  const body = JSON.parse(request.body.toString());
  if (request.url.endsWith('/moderations')) {
    const violence = String(body.input).includes('fight');
    return json(200, { results: [{ flagged: violence, categories: { violence } }] })(request, response, raw);
  }
  const said = String(body.messages.at(-1).content);
  const judgement = { verdict: !said.includes('rude'), score: 0.5, reason: 'because' };
  const content = body.response_format ? JSON.stringify(judgement) : said;
  return json(200, chatAnswer(content))(request, response, raw);
};

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.provider.play(answering));

const moderated = (more: object = {}) => ({
  checks: [
    {
      id: 'gateway.moderateContent',
      parameters: { categories: ['violence'], model: model(), failOnError: true, ...more },
    },
  ],
  deny: true,
});
const judged = () => ({
  checks: [
    { id: 'gateway.judge', parameters: { model: model(), rubric: 'The text is polite.', failOnError: true } },
  ],
  deny: true,
});
const provider = () => `@${world.slug}`;
const urls = () => world.provider.requests.map(({ url }) => url.replace(/^.*\/v1/, ''));

test('a check asks its model as a call of its own, in the trace and the name of the caller', async () => {
  const traceId = world.newTrace();
  const answer = await world.call({
    config: { provider: provider(), input_guardrails: [moderated()] },
    body: saying('a fight'),
    headers: { 'x-gateway-trace-id': traceId },
  });
  expect(answer.status).toBe(446);
  expect(answer.json.hook_results.before_request_hooks[0].checks[0].data).toEqual({ flagged: ['violence'] });
  expect(urls()).toEqual(['/moderations']);
  const records = await recordsOf(world.app, { traceId });
  expect(
    records.map(({ endpoint, responseStatusCode, metadata }) => [endpoint, responseStatusCode, metadata]),
  ).toEqual(
    expect.arrayContaining([
      ['moderate', 200, { _guardrail: 'true' }],
      ['chatComplete', 446, {}],
    ]),
  );
  expect(records).toHaveLength(2);
});

test('what a model judges badly is withheld, and the rest goes on', async () => {
  const config = { provider: provider(), output_guardrails: [judged()] };
  const rude = await world.call({ config, body: saying('rude words') });
  expect([rude.status, rude.text.includes('rude words')]).toEqual([446, false]);
  const polite = await world.call({ config, body: saying('kind words') });
  expect([polite.status, polite.json.choices[0].message.content]).toEqual([200, 'kind words']);
});

test('a check that fails to ask is an error: the guardrail says what becomes of the call', async () => {
  const asking = (failOnError: boolean) =>
    world.call({
      config: {
        provider: provider(),
        input_guardrails: [moderated({ model: '@nowhere/moderator', failOnError })],
      },
      body: saying('hello'),
    });
  const refused = await asking(true);
  expect(refused.status).toBe(446);
  expect(refused.json.hook_results.before_request_hooks[0].checks[0].error.message).toMatch(/moderation/i);
  expect((await asking(false)).status).toBe(200);
});

test('calls of checks come under no guardrail, so that none leads to itself', async () => {
  const { app } = world;
  const guardrail = await created(
    app,
    '/v1/guardrails',
    { name: 'All', checks: judged().checks, actions: { deny: true } },
    app.workspaceKey,
  );
  const path = `/v1/admin/workspaces/${app.workspaceId}`;
  const setDefaults = async (input_guardrails: string[]) => {
    const body = { defaults: { input_guardrails } };
    expect((await app.rest('PUT', path, { key: app.adminKey, body })).status).toBe(200);
  };
  await setDefaults([guardrail.slug]);
  world.provider.play(answering);
  const answer = await world.call({ config: { provider: provider() }, body: saying('rude words') });
  expect(answer.status).toBe(446);
  expect(urls()).toEqual(['/chat/completions']);
  // A request from outside cannot claim to be a check's.
  const claimed = await world.call({
    config: { provider: provider() },
    body: saying('rude words'),
    headers: { 'x-gateway-metadata': JSON.stringify({ _guardrail: 'true' }) },
  });
  expect(claimed.status).toBe(446);
  await setDefaults([]);
});
