import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import OpenAI from 'openai';
import { chatFrames, eventStream, json } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';

let world: World;
let client: OpenAI;
beforeAll(async () => {
  world = await startWorld();
  client = new OpenAI({ baseURL: `${world.app.url}/v1`, apiKey: world.app.workspaceKey, maxRetries: 0 });
});
afterAll(() => world.stop());

type Sent = { role: string; content: string };
const prose = (number: number) => `Message ${number}: ${'the weather in Paris was fair today. '.repeat(100)}`;
const answer = eventStream(chatFrames(['Yes']));
const tooLong = json(400, { error: { message: 'Too long.', code: 'context_length_exceeded' } });

/** What the model is sent of a thread with so many long messages. */
async function sentOf(
  model: string,
  count: number,
  members: object = {},
  script = [answer],
  options: { headers?: Record<string, string> } = {},
) {
  world.provider.play(...script);
  const assistant = await client.beta.assistants.create({
    model: model.startsWith('bare ') ? model.slice(5) : `@${world.slug}/${model}`,
    instructions: 'Be brief.',
  });
  const thread = await client.beta.threads.create({
    messages: Array.from({ length: count }, (_none, at) => ({ role: 'user' as const, content: prose(at) })),
  });
  const run = await client.beta.threads.runs.createAndPoll(
    thread.id,
    { assistant_id: assistant.id, ...members },
    options,
  );
  const requests = world.provider.requests.map(({ body }) => JSON.parse(String(body)).messages as Sent[]);
  return { run, requests, messages: requests.at(-1) ?? [] };
}
const tokensOf = (messages: readonly Sent[]) =>
  messages.reduce((sum, { content }) => sum + countTokens(content), 0);
const numbersOf = (messages: readonly Sent[]) =>
  messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => Number(/^Message (\d+):/.exec(content)?.[1]));

describe('a thread that is longer than the window of its model', () => {
  // The catalogue knows it with 8192 tokens.
  const model = 'gpt-4';
  const size = countTokens(prose(10));

  it('is sent with its beginning and its newest messages, as many as fit beside an answer', async () => {
    const { run, messages } = await sentOf(model, 20);
    expect(run.status).toBe('completed');
    expect(messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
    const numbers = numbersOf(messages);
    expect([numbers[0], numbers.at(-1)]).toEqual([0, 19]);
    expect(numbers.slice(1)).toEqual(
      Array.from({ length: numbers.length - 1 }, (_none, at) => 21 - numbers.length + at),
    );
    expect(tokensOf(messages)).toBeLessThanOrEqual(8192 * 0.75);
    expect(tokensOf(messages) + 2 * size).toBeGreaterThan(8192 * 0.75);
  });

  it('is cut for the name of a model alone as well, whose provider a config chooses', async () => {
    const config = JSON.stringify({ provider: `@${world.slug}` });
    const key = { headers: { 'x-gateway-provider': 'gateway', 'x-gateway-config': config } };
    const { messages } = await sentOf('bare gpt-4', 20, {}, [answer], key);
    expect(tokensOf(messages)).toBeLessThanOrEqual(8192 * 0.75);
    expect(tokensOf(messages) + 2 * size).toBeGreaterThan(8192 * 0.75);
    const unknown = await sentOf('bare my-own-model', 20, {}, [answer], key);
    expect(numbersOf(unknown.messages)).toHaveLength(20);
  });

  it('is sent with more where the answer is to be short', async () => {
    const { messages } = await sentOf(model, 20, { max_completion_tokens: 256 });
    expect(tokensOf(messages)).toBeLessThanOrEqual(8192 - 256);
    expect(tokensOf(messages) + 2 * size).toBeGreaterThan(8192 - 256);
  });

  it('is sent whole to a model with a larger one', async () => {
    const { messages } = await sentOf('gpt-4o', 20);
    expect(numbersOf(messages)).toEqual(Array.from({ length: 20 }, (_none, at) => at));
  });

  it('is counted, not guessed, where its run has a budget', async () => {
    const budget = Math.ceil(size * 3.5);
    const { messages } = await sentOf('gpt-4o', 20, { max_prompt_tokens: budget });
    expect(numbersOf(messages)).toEqual([0, 18, 19]);
    const small = await sentOf('gpt-4o', 2, { max_prompt_tokens: 256 });
    expect(small.run).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_prompt_tokens' },
    });
    expect(small.requests).toEqual([]);
  });

  it('is sent once more with half of it where the model says that it is too long', async () => {
    const { run, requests } = await sentOf('my-own-model', 20, {}, [tooLong, answer]);
    expect(run.status).toBe('completed');
    const [first = [], second = []] = requests;
    expect(numbersOf(first)).toHaveLength(20);
    // Four tokens of each message beside its text are halved as well.
    expect(tokensOf(second)).toBeLessThanOrEqual((tokensOf(first) + 4 * first.length) / 2);
    expect([numbersOf(second)[0], numbersOf(second).at(-1)]).toEqual([0, 19]);
  });
});
