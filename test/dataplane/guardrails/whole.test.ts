import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chatAnswer, json, type ScriptedProvider, startProvider } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';
import { redacting, saying, tooLong, without } from './guarded.ts';

let world: World;
let second: ScriptedProvider;
let other: string;
let provider: string;

beforeAll(async () => {
  world = await startWorld();
  second = await startProvider();
  provider = `@${world.slug}`;
  other = `@${await world.makeProvider({ configurations: { custom_host: second.url } })}`;
});
afterAll(async () => {
  await second.stop();
  await world.stop();
});
beforeEach(() => {
  world.provider.play(json(200, chatAnswer('a fine answer')));
  second.play(json(200, chatAnswer('from the second')));
});

const ask = (config: object, content: unknown = 'hello', more: object = {}) =>
  world.call({ config: { provider, ...config }, body: { ...saying(content), ...more } });
const sent = () => JSON.parse(world.provider.requests[0]?.body.toString() ?? 'null');

describe('input', () => {
  test('what all guardrails pass goes on as it is, and the answer says so', async () => {
    const answer = await ask({ input_guardrails: [without('evil')] });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject(chatAnswer('a fine answer'));
    expect(answer.json.hook_results).toEqual({
      before_request_hooks: [
        {
          verdict: true,
          id: 'input_guardrails[0]',
          transformed: false,
          checks: [
            {
              data: expect.any(Object),
              verdict: true,
              id: 'default.contains',
              execution_time: expect.any(Number),
              transformed: false,
              created_at: expect.any(String),
              log: null,
              fail_on_error: false,
            },
          ],
          feedback: null,
          execution_time: expect.any(Number),
          async: false,
          type: 'guardrail',
          created_at: expect.any(String),
          deny: false,
        },
      ],
      after_request_hooks: [],
    });
    expect(sent()).toEqual(saying('hello'));
  });

  test('a refusal is a 446 and never reaches the provider', async () => {
    const answer = await ask({ input_guardrails: [without('evil')] }, 'some evil text');
    expect(answer.status).toBe(446);
    expect(answer.json).toMatchObject({
      error: { message: expect.any(String), type: 'hooks_failed', param: null, code: null },
      hook_results: { before_request_hooks: [{ verdict: false, deny: true }], after_request_hooks: [] },
    });
    expect(world.provider.requests).toHaveLength(0);
  });

  test('a failure that does not refuse makes 246 of 200, and of nothing else', async () => {
    const answer = await ask({ input_guardrails: [tooLong()] }, 'two words');
    expect([answer.status, answer.json.choices[0].message.content]).toEqual([246, 'a fine answer']);
    expect(answer.json.hook_results.before_request_hooks[0]).toMatchObject({ verdict: false, deny: false });
    world.provider.play(json(201, chatAnswer('made')));
    expect((await ask({ input_guardrails: [tooLong()] }, 'two words')).status).toBe(201);
    world.provider.play(json(404, { error: { message: 'no' } }));
    expect((await ask({ input_guardrails: [tooLong()] }, 'two words')).status).toBe(404);
  });

  test('an edit is what the provider gets, byte for byte but for what changed', async () => {
    const body = `{"model":"gpt-test","seed":12345678901234567890,"messages":[{"role":"user","content":"a secret b"}]}`;
    const answer = await world.call({ config: { provider, input_guardrails: [redacting('secret')] }, body });
    expect(world.provider.requests[0]?.body.toString()).toBe(body.replace('secret', '[GONE]'));
    expect(answer.json.hook_results.before_request_hooks[0]).toMatchObject({
      transformed: true,
      verdict: true,
    });
  });

  test.each([
    [
      'split over parts',
      [
        { type: 'text', text: 'ev' },
        { type: 'text', text: 'il' },
      ],
    ],
    ['with a space of no width', 'e\u200bvil'],
    ['in full width', 'ｅｖｉｌ'],
    ['with a look-alike', 'еvil'],
    ['as base64', `read ${Buffer.from('this is evil stuff').toString('base64')}`],
    [
      'as base64 of base64',
      Buffer.from(Buffer.from('this is evil stuff').toString('base64')).toString('base64'),
    ],
    ['as hex', Buffer.from('this is evil').toString('hex')],
    ['as URL', 'go %65%76%69%6c now'],
    ['with escapes', 'go \\u0065\\u0076\\u0069\\u006c now'],
    [
      'with tags',
      `hi ${[...'evil'].map((one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join('')}`,
    ],
  ])('finds a word %s', async (_how, content) => {
    expect((await ask({ input_guardrails: [without('evil')] }, content)).status).toBe(446);
  });

  test.each([
    ['last', 446, { role: 'user', content: 'evil' }, { role: 'user', content: 'evil' }],
    ['last', 200, { role: 'user', content: 'evil' }, { role: 'user', content: 'good' }],
    ['new', 446, { role: 'tool', tool_call_id: 'c', content: 'evil' }, { role: 'user', content: 'good' }],
    ['new', 200, { role: 'assistant', content: 'evil' }, { role: 'user', content: 'good' }],
    ['all', 446, { role: 'assistant', content: 'evil' }, { role: 'user', content: 'good' }],
    ['all', 446, { role: 'system', content: 'evil' }, { role: 'user', content: 'good' }],
  ])('scope %s: %i', async (scope, status, first, last) => {
    const answer = await world.call({
      config: { provider, input_guardrails: [without('evil', { scope })] },
      body: { model: 'gpt-test', messages: [first, last] },
    });
    expect(answer.status).toBe(status);
  });

  test('a member that stands twice is sent once, as it was checked', async () => {
    const body = `{"model":"m","messages":[{"role":"user","content":"evil"}],"messages":[{"role":"user","content":"good"}]}`;
    await world.call({ config: { provider, input_guardrails: [without('evil')] }, body });
    expect(world.provider.requests[0]?.body.toString()).not.toContain('evil');
  });

  test('tokens in the place of text cannot be checked: a guardrail says what becomes of them', async () => {
    const asking = (on_unreadable: string) =>
      world.call({
        path: '/v1/completions',
        config: { provider, input_guardrails: [without('evil', { on_unreadable })] },
        body: { model: 'm', prompt: [1, 2, 3] },
      });
    expect((await asking('deny')).status).toBe(446);
    const allowed = await asking('allow');
    expect(allowed.status).toBe(200);
    expect(allowed.json.hook_results.before_request_hooks[0].checks[0].error.name).toBe('Unreadable');
  });

  test.each([
    ['application/json', JSON.stringify({ anything: 'evil' }), 446],
    ['image/png', JSON.stringify({ anything: 'evil' }), 446],
    ['audio/mpeg', 'evil words', 446],
    ['image/png', '\x89PNG\0evil', 200],
  ])('a body that is called %s is read where it is text: %j', async (type, body, status) => {
    const answer = await world.call({
      path: '/v1/proxy/anything',
      headers: { 'content-type': type },
      config: { provider, input_guardrails: [without('evil', { on_unreadable: 'deny' })] },
      body: Buffer.from(body, 'latin1'),
    });
    expect(answer.status).toBe(status);
  });

  test('the query of a request that is passed on is read as well', async () => {
    const config = { provider, input_guardrails: [without('evil')] };
    const asking = (q: string) => world.call({ method: 'GET', path: `/v1/proxy/search?q=${q}`, config });
    expect((await asking('an%20evil%20thing')).status).toBe(446);
    expect((await asking('a%20good%20thing')).status).toBe(200);
  });

  test('soft_deny_200 answers in the words of a normal answer', async () => {
    const answer = await ask({ input_guardrails: [without('evil', { soft_deny_200: true })] }, 'evil');
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: expect.any(String) }, finish_reason: 'stop' }],
      hook_results: { before_request_hooks: [{ deny: true }] },
    });
    expect(world.provider.requests).toHaveLength(0);
  });
});

describe('output', () => {
  test('a refused answer is withheld', async () => {
    world.provider.play(json(200, chatAnswer('an evil answer')));
    const answer = await ask({ output_guardrails: [without('evil')] });
    expect(answer.status).toBe(446);
    expect(answer.text).not.toContain('an evil');
    expect(answer.json).toMatchObject({ usage: { completion_tokens: 5 } });
    expect(answer.json.hook_results.after_request_hooks).toMatchObject([{ verdict: false, deny: true }]);
  });

  test('an answer of text is read, whatever the provider calls it', async () => {
    world.provider.play((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('an evil answer');
    });
    const answer = await ask({ output_guardrails: [without('evil')] });
    expect(answer.status).toBe(446);
    expect(answer.text).not.toContain('an evil');
  });

  test('a failure that does not refuse is a 246', async () => {
    const answer = await ask({ output_guardrails: [tooLong()] });
    expect([answer.status, answer.json.choices[0].message.content]).toEqual([246, 'a fine answer']);
  });

  test('an edit changes the answer, in every choice and every text', async () => {
    const message = {
      role: 'assistant',
      content: 'my secret',
      reasoning_content: 'secret thoughts',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"secret","b":1}' } }],
    };
    const whole = chatAnswer('');
    world.provider.play(
      json(200, {
        ...whole,
        choices: [
          { index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' },
          { index: 1, message, logprobs: { content: [{ token: 'secret' }] }, finish_reason: 'stop' },
        ],
      }),
    );
    const { json: answer } = await ask({ output_guardrails: [redacting('secret')] }, 'hello', { n: 2 });
    expect(answer.choices[1]).toEqual({
      index: 1,
      finish_reason: 'stop',
      logprobs: null,
      message: {
        ...message,
        content: 'my [GONE]',
        reasoning_content: '[GONE] thoughts',
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"[GONE]","b":1}' } },
        ],
      },
    });
  });

  test('only the second choice is bad: all are withheld', async () => {
    const choices = ['good', 'evil', 'good'].map((content, index) => ({
      index,
      message: { role: 'assistant', content },
      finish_reason: 'stop',
    }));
    world.provider.play(json(200, { ...chatAnswer(''), choices }));
    expect((await ask({ output_guardrails: [without('evil')] }, 'hello', { n: 3 })).status).toBe(446);
  });

  test('an error of the provider goes through as it is', async () => {
    world.provider.play(json(400, { error: { message: 'evil' } }));
    const answer = await ask({ output_guardrails: [without('evil')] });
    expect(answer.status).toBe(400);
  });
});

describe('retries and targets', () => {
  const refusing = (status: number) => ({
    strategy: { mode: 'fallback', on_status_codes: [status] },
    output_guardrails: [without('evil', { deny: status === 446 })],
  });

  test.each([446, 246])('a %i leads to the next target where the config says so', async (status) => {
    world.provider.play(json(200, chatAnswer('evil')));
    const answer = await world.call({
      config: { ...refusing(status), targets: [{ provider }, { provider: other }] },
      body: saying('hello'),
    });
    expect([answer.status, answer.json.choices[0].message.content]).toEqual([200, 'from the second']);
  });

  test('a refusal is tried again where the config says so', async () => {
    world.provider.play(json(200, chatAnswer('evil')), json(200, chatAnswer('good')));
    const answer = await ask({
      retry: { attempts: 1, on_status_codes: [446] },
      output_guardrails: [without('evil')],
    });
    expect([answer.status, answer.headers['x-gateway-retry-attempt-count']]).toEqual([200, '1']);
  });

  test('a target has the guardrails of its group unless it has its own', async () => {
    const targets = [{ provider, input_guardrails: [without('bad')] }, { provider: other }];
    const config = { strategy: { mode: 'fallback' }, input_guardrails: [without('evil')], targets };
    const evil = await world.call({ config, body: saying('evil') });
    expect([evil.status, world.provider.requests.length]).toEqual([200, 1]);
    const bad = await world.call({ config, body: saying('bad') });
    expect([bad.status, bad.json.choices[0].message.content]).toEqual([200, 'from the second']);
  });
});

describe('a config with guardrails', () => {
  test.each([
    [
      { input_guardrails: [{ 'default.nothing': {} }] },
      /config\.input_guardrails\[0\]\.checks\[0\]\.id.*there is no check/,
    ],
    [
      { output_guardrails: [{ regexReplace: { rule: '(' } }] },
      /config\.output_guardrails\[0\]\.checks\[0\]\.parameters/,
    ],
    [
      { output_guardrails: [{ regexReplace: { rule: 'a' }, async: true }] },
      /config\.output_guardrails\[0\]\.checks\[0\], message: .*async/,
    ],
    [{ before_request_hooks: ['pg-1'] }, /config\.before_request_hooks\[0\]/],
    [{ passthrough: true, input_guardrails: [without('a')] }, /passthrough/],
  ])('is refused: %j', async (members, message) => {
    const answer = await ask(members);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.json)).toMatch(message);
  });

  test('that names one which does not exist is refused', async () => {
    const answer = await ask({ input_guardrails: ['pg-none'] });
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toContain('pg-none');
  });

  test('takes hooks, short forms and both spellings', async () => {
    const hooks = [
      {
        type: 'guardrail',
        id: 'mine',
        checks: without('evil').checks,
        deny: true,
        onFail: { feedback: { value: -5 } },
      },
    ];
    const answer = await ask(
      { beforeRequestHooks: hooks, input_guardrails: [{ wordCount: { maxWords: 5 } }] },
      'evil',
    );
    expect(answer.status).toBe(446);
    expect(answer.json.hook_results.before_request_hooks).toMatchObject([
      {
        id: 'mine',
        deny: true,
        feedback: { value: -5, weight: 1, metadata: { failedChecks: 'default.contains' } },
      },
      { id: 'input_guardrails[0]', checks: [{ error: { name: 'Skipped' } }] },
    ]);
  });

  test('has no part in nitro mode', async () => {
    const answer = await world.call({
      headers: { 'x-gateway-nitro-mode': 'true' },
      config: { provider, input_guardrails: [without('evil')] },
      body: saying('hello'),
    });
    expect(answer.status).toBe(400);
  });
});

describe('the log', () => {
  const guardrailsIn = async (config: object, content: string) => {
    const { records } = await world.logged(json(200, chatAnswer('a fine answer')), {
      config: { provider, ...config },
      body: saying(content),
    });
    return JSON.parse(records[0]?.guardrails ?? 'null');
  };

  test('says what each guardrail came to, and nothing of the text', async () => {
    const logged = await guardrailsIn(
      { input_guardrails: [without('evil')], output_guardrails: [tooLong({ async: true })] },
      'a fine question',
    );
    expect(logged).toEqual({
      exempted: [],
      ran: [
        expect.objectContaining({
          id: 'input_guardrails[0]',
          phase: 'input',
          verdict: true,
          denied: false,
          async: false,
        }),
        expect.objectContaining({ id: 'output_guardrails[0]', phase: 'output', verdict: false, async: true }),
      ],
    });
    // A check says when it began only where the clock had moved since its guardrail's beginning.
    const [check, ...others] = logged.ran[0].checks;
    const { after = 1, ...rest } = check;
    expect(rest).toEqual({ id: 'default.contains', verdict: 'passed', time: expect.any(Number) });
    expect([after > 0, others]).toEqual([true, []]);
  });

  test('has a refusal as well, and null without guardrails', async () => {
    const { ran } = await guardrailsIn({ input_guardrails: [without('evil')] }, 'evil');
    expect(ran).toMatchObject([{ denied: true, checks: [{ verdict: 'failed' }] }]);
    expect(await guardrailsIn({}, 'evil')).toBeNull();
  });

  test('bills what was generated and withheld', async () => {
    const { record } = await world.logged(json(200, chatAnswer('an evil answer')), {
      config: { provider, output_guardrails: [without('evil')] },
      body: saying('hello'),
    });
    expect([record.responseStatusCode, record.promptTokens, record.completionTokens]).toEqual([446, 3, 5]);
  });

  test('is where metrics of checks come from', async () => {
    await guardrailsIn({ input_guardrails: [without('evil')] }, 'good');
    const metrics = await fetch(`${world.app.url}/metrics`).then((answer) => answer.text());
    expect(metrics).toMatch(/sluice_guardrail_check_duration_seconds_count\{[^}]*check="default.contains"/);
  });
});
