import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import OpenAI from 'openai';
import { recognisers } from '../../../src/guardrails/checks/personal-data/recognisers/index.ts';
import { confidential } from '../../guardrails/checks/confidential.ts';
import { seeded } from '../../guardrails/checks/random.ts';
import { rounds } from '../../support/long.ts';
import { chatAnswer, chatFrames, eventStream, json } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';
import { redacting, saying, tooLong, without } from './guarded.ts';

let world: World;
let provider: string;

beforeAll(async () => {
  world = await startWorld();
  provider = `@${world.slug}`;
});
afterAll(() => world.stop());

const event = (name: string | null, data: object) =>
  `${name === null ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const datasOf = (text: string): any[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => (data === '[DONE]' ? data : JSON.parse(data)));
const contentOf = (text: string): string =>
  datasOf(text)
    .map((data) => data.choices?.[0]?.delta?.content ?? '')
    .join('');

const ask = (config: object, more: object = {}, headers: Record<string, string> = {}) =>
  world.call({ config: { provider, ...config }, headers, body: { ...saying('hi'), stream: true, ...more } });
const cut = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];

const redactingAll = {
  checks: [
    {
      id: 'gateway.pii',
      parameters: { categories: recognisers.map(({ category }) => category), redact: true },
    },
    { id: 'gateway.secrets', parameters: { redact: true } },
  ],
};

describe('a stream through a window', () => {
  test.each([1, 3, 7, 100])('in pieces of %i: what passes arrives whole', async (size) => {
    const text = 'The quick brown fox jumps over the lazy dog and all is well.';
    world.provider.play(eventStream(chatFrames(cut(text, size))));
    const answer = await ask({ output_guardrails: [without('evil')] });
    expect([answer.status, contentOf(answer.text), datasOf(answer.text).at(-1)]).toEqual([
      200,
      text,
      '[DONE]',
    ]);
  });

  test.each([1, 3, 7, 100])('in pieces of %i: no character of a match is sent', async (size) => {
    const text = `${'good words come first and '.repeat(4)}then the Zvil deed`;
    world.provider.play(eventStream(chatFrames(cut(text, size))));
    const answer = await ask({ output_guardrails: [without('Zvil')] });
    expect(contentOf(answer.text)).not.toContain('Z');
    expect(answer.text).not.toContain('[DONE]');
    if (answer.status === 446) return;
    const last = datasOf(answer.text).at(-1);
    expect(last).toMatchObject({
      error: { type: 'hooks_failed' },
      hook_results: { after_request_hooks: [{ deny: true }] },
    });
    expect(datasOf(answer.text).at(-2).choices).toMatchObject([{ finish_reason: 'content_filter' }]);
  });

  test('that is refused before a byte was sent is a plain 446', async () => {
    world.provider.play(eventStream(chatFrames(cut('evil things', 2))));
    const answer = await ask({ output_guardrails: [without('evil')] });
    expect([answer.status, answer.json.error.type]).toEqual([446, 'hooks_failed']);
  });

  const call = (args: string) => ({ tool_calls: [{ index: 0, function: { arguments: args } }] });
  test.each([
    ['content', [{ content: 'ev' }, { content: 'il' }]],
    ['reasoning', [{ reasoning_content: 'evil ' }]],
    ['a refusal', [{ refusal: 'evil ' }]],
    ['arguments', [call('{"a":"ev'), call('il"}')]],
    ['two texts', [{ reasoning_content: 'ev' }, { content: 'il' }]],
  ])('has the second choice in it, and %s', async (_what, deltas) => {
    const chunk = (index: number, delta: object) =>
      event(null, { id: 'x', choices: [{ index, delta, finish_reason: null }] });
    const bad = deltas.map((delta) => chunk(1, delta));
    const frames = [chunk(0, { content: 'fine ' }), ...bad, chunk(0, { content: 'and still fine' })];
    world.provider.play(eventStream([...frames, 'data: [DONE]\n\n']));
    const { text } = await ask({ output_guardrails: [without('evil')] });
    expect(text).toContain('hooks_failed');
    const [sent = ''] = text.split('"error"');
    expect(sent).not.toContain('ev');
  });

  const callAt = (index: number, args: string) => ({
    tool_calls: [{ index, function: { arguments: args } }],
  });
  test.each([
    ['a word', without('forbidden'), 'forbidden'],
    ['two words', without('not allowed'), 'not allowed'],
    ['an address', redactingAll, 'anna.bell@example.com'],
    ['a token', redactingAll, `${'gh' + 'p_'}0123456789abcdefghijABCDEFGHIJ012345`],
  ])('of calls of tools that come by turns, no character of %s is sent', async (_what, guardrail, match) => {
    const chunk = (delta: object) => event(null, { id: 'x', choices: [{ index: 0, delta }] });
    const frames = cut(`see ${match} `, 4).flatMap((piece) => [
      chunk(callAt(0, piece)),
      chunk(callAt(1, ' x ')),
    ]);
    world.provider.play(eventStream([...frames, 'data: [DONE]\n\n']));
    const { text } = await ask({ output_guardrails: [guardrail] });
    const said = datasOf(text).flatMap((data) => data.choices?.[0]?.delta?.tool_calls ?? []);
    const first = said.map(({ index, function: { arguments: part } }) => (index === 0 ? part : '')).join('');
    expect(first).toMatch(/^(?:see (?:\{\{.*\}\} )?)?$/);
  });

  test('for all texts and all cuts is what the whole text becomes', async () => {
    const word = fc.constantFrom(
      'ab',
      'aab',
      'secret',
      'secre',
      't',
      'a1b',
      '\n',
      ' ',
      '12 34',
      'sec',
      'ret',
      'ü',
      '漢字',
      'x-y',
    );
    const texts = fc.array(word, { maxLength: 40 }).map((words) => words.join(''));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), async (text, size) => {
        const config = { output_guardrails: [redacting('secret|a{1,3}b|[0-9]{2} [0-9]{2}')] };
        const expected = text.replace(/secret|a{1,3}b|[0-9]{2} [0-9]{2}/g, '[GONE]');
        world.provider.play(eventStream(chatFrames(cut(text, size))));
        const answer = await ask(config);
        expect(contentOf(answer.text)).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  test('goes out word by word, however long a match may be', async () => {
    const hasArrived = Promise.withResolvers<void>();
    world.provider.play(async (_request, response) => {
      const [first = '', ...others] = chatFrames(cut('Dear reader, the river is quiet and all is well. ', 5));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(first + others.slice(0, 4).join(''));
      await hasArrived.promise;
      response.end(others.slice(4).join(''));
    });
    const answer = await world.open({
      config: { provider, output_guardrails: [{ ...redactingAll, deny: true }] },
      body: { ...saying('hi'), stream: true },
    });
    let text = '';
    for await (const chunk of answer) {
      text += chunk;
      if (contentOf(text).startsWith('Dear reader, ')) hasArrived.resolve();
    }
    expect(contentOf(text)).toBe('Dear reader, the river is quiet and all is well. ');
  });

  test(
    'for all personal data, secrets and cuts is what the whole text becomes',
    async () => {
      const seed = fc.integer({ min: 1, max: 1_000_000 });
      await fc.assert(
        fc.asyncProperty(seed, fc.integer({ min: 1, max: 30 }), async (start, size) => {
          const text = confidential(seeded(start));
          const config = { output_guardrails: [redactingAll] };
          world.provider.play(json(200, chatAnswer(text)));
          const whole = await ask(config, { stream: false });
          world.provider.play(eventStream(chatFrames(cut(text, size))));
          const streamed = await ask(config);
          expect(contentOf(streamed.text)).toBe(whole.json.choices[0].message.content);
        }),
        // A date whose word of birth goes out while the key behind it is held.
        { numRuns: rounds(25, 300), examples: [[676258, 1]] },
      );
    },
    rounds(120_000, 900_000),
  );

  test('goes on in the words of messages and responses', async () => {
    const frames = [
      event('message_start', {
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          content: [],
          model: 'c',
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      }),
      event('content_block_start', {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'text', text: '' },
      }),
      ...cut('my secret word is out', 4).map((text) =>
        event('content_block_delta', {
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'text_delta', text },
        }),
      ),
      event('content_block_stop', { type: 'content_block_stop', index: 0 }),
      event('message_delta', {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 5 },
      }),
      event('message_stop', { type: 'message_stop' }),
    ];
    world.provider.play(eventStream(frames));
    const answer = await world.call({
      path: '/v1/messages',
      config: {
        provider: 'anthropic',
        api_key: 'k',
        custom_host: world.provider.url,
        output_guardrails: [redacting('secret')],
      },
      body: { model: 'c', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'hi' }] },
    });
    const texts = datasOf(answer.text).map((data) => data.delta?.text ?? '');
    expect(texts.join('')).toBe('my [GONE] word is out');
    expect(datasOf(answer.text).at(-1)).toEqual({ type: 'message_stop' });
  });

  test('what a last event says again is edited as well', async () => {
    const text = 'my secret word';
    const item = (said: string) => ({
      id: 'i',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: said, annotations: [] }],
    });
    const at = { item_id: 'i', output_index: 0, content_index: 0 };
    const say = (type: string, more: object) => event(type, { type, ...more });
    world.provider.play(
      eventStream([
        say('response.created', {
          response: { id: 'r', object: 'response', status: 'in_progress', output: [] },
        }),
        ...cut(text, 3).map((delta) => say('response.output_text.delta', { ...at, delta, logprobs: [] })),
        say('response.output_text.done', { ...at, text }),
        say('response.completed', {
          response: { id: 'r', object: 'response', status: 'completed', output: [item(text)] },
        }),
      ]),
    );
    const answer = await world.call({
      path: '/v1/responses',
      config: { provider, output_guardrails: [redacting('secret')] },
      body: { model: 'm', input: 'hi', stream: true },
    });
    expect(answer.text).not.toContain('secret');
    expect(datasOf(answer.text).at(-1).response.output).toEqual([item('my [GONE] word')]);
  });
});

describe('hold and report', () => {
  const words = ['one ', 'two ', 'three'];

  test('a check of the whole text sees all of it before anything is sent', async () => {
    world.provider.play(eventStream(chatFrames(words)));
    const passing = await ask({
      output_guardrails: [{ wordCount: { minWords: 3, maxWords: 3 }, deny: true }],
    });
    expect([passing.status, contentOf(passing.text)]).toEqual([200, 'one two three']);
    expect((await ask({ output_guardrails: [tooLong({ deny: true })] })).status).toBe(446);
  });

  test('a guardrail that does not refuse reports behind the end, to whoever asks for it', async () => {
    world.provider.play(eventStream(chatFrames(words)));
    const config = { input_guardrails: [without('evil')], output_guardrails: [tooLong()] };
    const strict = await ask(config);
    expect([strict.status, strict.text.includes('hook_results')]).toEqual([200, false]);
    const { text } = await ask({ ...config, strict_open_ai_compliance: false });
    const datas = datasOf(text);
    expect(datas[0].hook_results).toMatchObject({ before_request_hooks: [{ verdict: true }] });
    expect(datas.at(-1).hook_results).toMatchObject({
      after_request_hooks: [{ verdict: false, deny: false }],
    });
    expect(datas.at(-2)).toBe('[DONE]');
  });

  test('an input guardrail that failed makes the status 246', async () => {
    world.provider.play(eventStream(chatFrames(words)));
    expect((await ask({ input_guardrails: [{ wordCount: { minWords: 9 } }] })).status).toBe(246);
  });
});

describe('official clients', () => {
  const long = cut(`${'good words come first and '.repeat(8)}then the evil deed is done and over`, 5);
  const slowly = (frames: string[]) => eventStream(frames, 1);

  test('OpenAI ends a refused stream with the reason', async () => {
    world.provider.play(slowly(chatFrames(long)));
    const client = new OpenAI({
      baseURL: `${world.app.url}/v1`,
      apiKey: 'x',
      maxRetries: 0,
      defaultHeaders: {
        'x-gateway-api-key': world.app.workspaceKey,
        'x-gateway-config': JSON.stringify({ provider, output_guardrails: [without('evil')] }),
      },
    });
    const stream = await client.chat.completions.create({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    });
    let text = '';
    let finish: string | null = null;
    const reading = (async () => {
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        finish = chunk.choices[0]?.finish_reason ?? finish;
      }
    })();
    await expect(reading).rejects.toThrow(/guardrails/);
    expect([finish, text.includes('evil'), text.includes('good words')]).toEqual([
      'content_filter',
      false,
      true,
    ]);
  });

  test('Anthropic ends a refused stream with the reason', async () => {
    const delta = (text: string) =>
      event('content_block_delta', {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text },
      });
    world.provider.play(
      slowly([
        event('message_start', {
          type: 'message_start',
          message: {
            id: 'm',
            type: 'message',
            role: 'assistant',
            content: [],
            model: 'c',
            usage: { input_tokens: 1, output_tokens: 1 },
          },
        }),
        event('content_block_start', {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'text', text: '' },
        }),
        ...long.map(delta),
        event('message_stop', { type: 'message_stop' }),
      ]),
    );
    const client = new Anthropic({
      baseURL: world.app.url,
      apiKey: 'x',
      maxRetries: 0,
      defaultHeaders: {
        'x-gateway-api-key': world.app.workspaceKey,
        'x-gateway-config': JSON.stringify({
          provider: 'anthropic',
          api_key: 'k',
          custom_host: world.provider.url,
          output_guardrails: [without('evil')],
        }),
      },
    });
    const stream = client.messages.stream({
      model: 'c',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
    });
    let text = '';
    stream.on('text', (said) => {
      text += said;
    });
    await expect(stream.finalMessage()).rejects.toThrow(/guardrails/);
    expect([text.includes('evil'), text.includes('good words')]).toEqual([false, true]);
    expect(world.provider.aborted).toBe(1);
  });
});
