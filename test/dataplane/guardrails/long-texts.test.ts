import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { chatAnswer, json } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';
import { redacting, saying, without } from './guarded.ts';

let world: World;
let provider: string;
beforeAll(async () => {
  world = await startWorld();
  provider = `@${world.slug}`;
});
afterAll(() => world.stop());
beforeEach(() => world.provider.play(json(200, chatAnswer('a fine answer'))));

const prose = 'The river carried the letter of the old teacher past twelve windows. '.repeat(8_000);

const ask = (config: object, content: string) =>
  world.call({ config: { provider, ...config }, body: saying(content) });

test('a long text is refused for one word in it', async () => {
  const answer = await ask({ input_guardrails: [without('evil')] }, `${prose} evil ${prose}`);
  expect(answer.status).toBe(446);
  expect(world.provider.requests).toHaveLength(0);
});

test('a long text passes that is sound, and is replaced where it is to be', async () => {
  const config = { input_guardrails: [without('evil'), redacting('project-[a-z]{3,9}')] };
  const answer = await ask(config, `${prose} project-apollo ${prose}`);
  expect(answer.status).toBe(200);
  const { messages } = JSON.parse(world.provider.requests[0]?.body.toString() ?? 'null');
  expect(messages.at(-1).content).toBe(`${prose} [GONE] ${prose}`);
});

test('a long answer is refused for one word in it', async () => {
  world.provider.play(json(200, chatAnswer(`${prose} evil ${prose}`)));
  const answer = await ask({ output_guardrails: [without('evil')] }, 'hello');
  expect(answer.status).toBe(446);
  expect(JSON.stringify(answer.json)).not.toContain('windows');
});
