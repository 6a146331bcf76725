import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { programOf } from '../../console/src/pages/playground/parts/program.ts';
import {
  chatAnswer,
  chatFrames,
  eventStream,
  json,
  type ScriptedProvider,
  startProvider,
} from '../support/provider.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let service: ScriptedProvider;
beforeAll(async () => {
  service = await startProvider();
});
beforeEach(() => service.play(json(200, chatAnswer('hello'))));
afterAll(() => service.stop());

const body = {
  model: '@mock/mock-1',
  messages: [{ role: 'user', content: `It's "quoted", $HOME, \`ticks\`, \\ and\nlines` }],
  temperature: undefined,
  tools: null,
  strict: true,
};
const { temperature: _, ...sent } = body;

const call = (more: object = {}) => ({
  base: service.url,
  path: 'chat/completions',
  body,
  config: 'pc-own',
  ...more,
});

const runners = {
  curl: (program: string, env: NodeJS.ProcessEnv) => run('sh', ['-c', program], { env }),
  node: (program: string, env: NodeJS.ProcessEnv) =>
    run(process.execPath, ['--input-type=module', '-e', program], { env, cwd: root }),
};

describe.each(['curl', 'node'] as const)('a copied call in %s', (language) => {
  const env = { PATH: process.env.PATH, SLUICE_API_KEY: 'own-key' };

  it('asks what the page asks, with a key of its environment', async () => {
    const program = programOf(language, call());
    const { stdout } = await runners[language](program, env);
    expect(stdout).toContain('hello');
    const [asked] = service.requests;
    expect(asked).toMatchObject({
      url: '/v1/chat/completions',
      headers: { authorization: 'Bearer own-key', 'x-gateway-config': 'pc-own' },
    });
    expect(JSON.parse(`${asked?.body}`)).toEqual(sent);
  });

  it('follows a stream, and needs no config', async () => {
    service.play(eventStream(chatFrames(['one', 'two'])));
    const program = programOf(language, call({ config: '', body: { ...body, stream: true } }));
    const { stdout } = await runners[language](program, env);
    expect(stdout).toMatch(/one.*two/s);
    expect(service.requests[0]?.headers).not.toHaveProperty('x-gateway-config');
  });

  it('asks an endpoint that its library has no method for', async () => {
    await runners[language](programOf(language, call({ path: 'messages' })), env);
    expect(service.requests[0]?.url).toBe('/v1/messages');
    expect(JSON.parse(`${service.requests[0]?.body}`)).toEqual(sent);
  });
});

it('a copied call in Python is one of the library, in the values of the language', () => {
  expect(
    programOf('python', call({ base: 'https://sluice.example/v1', body: { ...body, stream: true } })),
  ).toBe(
    String.raw`import os

from openai import OpenAI

client = OpenAI(
    base_url="https://sluice.example/v1",
    api_key=os.environ["SLUICE_API_KEY"],
    default_headers={"x-gateway-config": "pc-own"},
)
answer = client.chat.completions.create(
    model="@mock/mock-1",
    messages=[
        {
            "role": "user",
            "content": "It's \"quoted\", $HOME, ${'`'}ticks${'`'}, \\ and\nlines",
        },
    ],
    tools=None,
    strict=True,
    stream=True,
)
for event in answer:
    print(event)
`,
  );
});
