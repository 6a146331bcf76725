import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventStream } from '../../support/provider.ts';
import { messages, startWorld, type World } from '../../support/world.ts';

let world: World;
let model: string;

beforeAll(async () => {
  world = await startWorld();
  model = `@${await world.makeProvider({ ai_provider_id: 'anthropic' })}/claude-test`;
});
afterAll(() => world.stop());

const event = (type: string, more: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const failing = (type: string) => event('error', { error: { type, message: 'Sorry.' } });
const opening = [
  event('message_start', {
    message: {
      id: 'msg_1',
      role: 'assistant',
      content: [],
      model: 'm',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
];
const word = event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello' } });

/** What the library translates is a chat in the format of chat completions; `/v1/messages` goes to the provider as it is. */
const ask = (frames: readonly string[]) =>
  world.logged(eventStream([...frames]), { body: { model, messages, max_tokens: 5, stream: true } });

/** As its first event the library makes an answer of the error, with a status of its own for types that it does not know. */
test.each([
  ['invalid_request_error', 400, 400],
  ['authentication_error', 401, 401],
  ['billing_error', 402, 402],
  ['permission_error', 403, 403],
  ['not_found_error', 404, 404],
  ['request_too_large', 413, 413],
  ['rate_limit_error', 429, 429],
  ['api_error', 500, 500],
  ['timeout_error', 504, 504],
  ['overloaded_error', 529, 529],
  ['an_error_of_next_year', 500, 502],
  ['constructor', 500, 502],
])('%s is a %i as the first event of a translated stream and a %i before the first word', async (...row) => {
  const [type, atOnce, beforeWords] = row;
  for (const [frames, status] of [
    [[failing(type)], atOnce],
    [[...opening, failing(type)], beforeWords],
  ] as const) {
    const { answer, records } = await ask(frames);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.json).toEqual({
      error: { message: 'anthropic error: Sorry.', type, param: null, code: null },
      provider: 'anthropic',
    });
    expect(records).toMatchObject([{ responseStatusCode: status, isSuccess: false, streamMode: 0 }]);
  }
});

test('the same error after the first words is an event of the stream, which then has no end', async () => {
  const { answer, record } = await ask([...opening, word, failing('invalid_request_error')]);
  expect(answer.status).toBe(200);
  const frames = answer.text.split('\n\n').filter((frame) => frame !== '');
  expect(answer.text).toContain('"content":"Hello"');
  expect(JSON.parse(frames.at(-1)?.slice('data: '.length) ?? '')).toMatchObject({
    error: { message: 'anthropic error: Sorry.', type: 'invalid_request_error' },
  });
  expect(record).toMatchObject({ responseStatusCode: 200, isSuccess: false, streamMode: 1 });
});
