import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chatAnswer, chatFrames, eventStream, json, type Script } from '../../support/provider.ts';
import { recordsOf } from '../../support/records.ts';
import { created, startWorld, type World } from '../../support/world.ts';
import { redacting, saying, without } from './guarded.ts';

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

describe('an answer that comes as a stream', () => {
  const sentence = (at: number) =>
    `This is sentence number ${at}, which tells of nothing that anybody minds. `;
  /** Some three pieces. */
  const story = Array.from({ length: 36 }, (_, at) => sentence(at)).join('');
  const cut = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  const contentOf = (text: string): string =>
    [...text.matchAll(/^data: (\{.*)$/gm)]
      .map(([, data = '']) => JSON.parse(data).choices?.[0]?.delta?.content ?? '')
      .join('');
  const inputs = () =>
    world.provider.requests
      .filter(({ url }) => url.endsWith('/moderations'))
      .map(({ body }) => String(JSON.parse(body.toString()).input));
  const streaming =
    (script: Script): Script =>
    (request, response, raw) =>
      (request.url.endsWith('/moderations') ? answering : script)(request, response, raw);
  const asked = (text: string, size: number, output_guardrails: object[]) => {
    world.provider.play(streaming(eventStream(chatFrames(cut(text, size)))));
    world.provider.requests.length = 0;
    return world.call({
      config: { provider: provider(), output_guardrails },
      body: { ...saying('a story'), stream: true },
    });
  };

  test.each([3, 50, 1000, 10_000])('in parts of %i is judged in pieces, and arrives whole', async (size) => {
    const answer = await asked(story, size, [moderated()]);
    expect([answer.status, contentOf(answer.text)]).toEqual([200, story]);
    expect(answer.text).toContain('[DONE]');
    expect(inputs().length).toBeGreaterThanOrEqual(size < story.length ? 2 : 1);
  });

  test('is asked about whole sentences, each time with the end of what was asked before', async () => {
    await asked(story, 20, [moderated()]);
    const [first = '', second = ''] = inputs();
    expect(first.length).toBeGreaterThanOrEqual(800);
    expect(first).toMatch(/minds\.$/);
    expect(second.startsWith(first.slice(-200))).toBe(true);
    const [, ...others] = inputs();
    expect(first + others.map((input) => input.slice(200)).join('')).toBe(story);
  });

  test('goes on to the caller while more of it comes', async () => {
    const { promise: isRead, resolve: goOn } = Promise.withResolvers<void>();
    world.provider.play(
      streaming(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const frames = chatFrames([...cut(story, 50), 'The end.']);
        response.write(frames.slice(0, -3).join(''));
        await isRead;
        response.end(frames.slice(-3).join(''));
      }),
    );
    const response = await world.open({
      config: { provider: provider(), output_guardrails: [moderated()] },
      body: { ...saying('a story'), stream: true },
    });
    // The provider's next word waits until some of its first ones are here.
    let text = '';
    for await (const chunk of response) {
      text += String(chunk);
      if (contentOf(text.slice(0, text.lastIndexOf('\n\n'))) !== '') goOn();
    }
    expect(contentOf(text)).toBe(`${story}The end.`);
  });

  test.each([7, 300])('in parts of %i: no piece with what is refused is sent', async (size) => {
    const answer = await asked(`${story}Then there was a fight. ${story}`, size, [moderated()]);
    const sent = contentOf(answer.text);
    expect(answer.text).toContain('hooks_failed');
    expect(sent).not.toContain('Then there');
    expect(sent.length).toBeGreaterThan(0);
    expect(story.startsWith(sent)).toBe(true);
  });

  test('is refused with 446 where the first piece is', async () => {
    expect((await asked(`A fight. ${story}`, 30, [moderated()])).status).toBe(446);
    expect((await asked('A fight.', 3, [moderated()])).status).toBe(446);
  });

  test('reaches the model as it is to be sent', async () => {
    const rails = [redacting('number 1[0-9]|fight'), moderated(), without('evil')];
    const answer = await asked(`${story}A fight. ${story}`, 11, rails);
    const expected = `${story}A fight. ${story}`.replaceAll(/number 1[0-9]|fight/g, '[GONE]');
    expect([answer.status, contentOf(answer.text)]).toEqual([200, expected]);
    expect(inputs().join('')).not.toContain('fight');
    const evil = await asked(`${story}an evil thing`, 11, rails);
    expect(evil.text).toContain('hooks_failed');
    expect(contentOf(evil.text)).not.toContain('evil');
  });

  test('waits as a whole where a guardrail says so, or has checks of characters besides', async () => {
    const { checks } = moderated();
    await asked(story, 100, [{ ...moderated(), stream: 'hold' }]);
    expect(inputs()).toEqual([story]);
    const mixed = { checks: [...checks, ...without('evil').checks], deny: true };
    await asked(story, 100, [mixed]);
    expect(inputs()).toEqual([story]);
    const answer = await asked(story, 100, [{ ...mixed, stream: 'window' }]);
    expect([answer.status, answer.json.error.message]).toEqual([
      400,
      expect.stringContaining('put them into two guardrails, or choose hold'),
    ]);
  });
});
