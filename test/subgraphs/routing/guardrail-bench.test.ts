import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Kind, parse, print } from 'graphql';
import type { CheckResult, HookResult } from '../../../src/guardrails/engine/index.ts';
import { decodeGuardrails } from '../../../src/recording/log/guardrails.ts';
import { chatAnswer, chatFrames, eventStream, json } from '../../support/provider.ts';
import { created, type Logged, startWorld, type World } from '../../support/world.ts';
import { dataOf } from '../support.ts';
import { benchFixtures, type Fixture } from './guardrail-fixtures.ts';

const documents = join(import.meta.dirname, '../../../console/src/pages/guardrails/documents.graphql');

let world: World;
/** What the page's bench asks. */
let document: string;
beforeAll(async () => {
  world = await startWorld();
  const { definitions } = parse(await readFile(documents, 'utf8'));
  const own = definitions.find(
    (one) => one.kind === Kind.OPERATION_DEFINITION && one.name?.value === 'TryGuardrails',
  );
  document = own ? print(own) : '';
});
afterAll(() => world.stop());

type Verdict = {
  verdict: boolean;
  denied: boolean;
  checks: [string, string][];
  text: string | null;
};
type Tried = {
  verdict: boolean;
  denied: boolean;
  status: number;
  text: string;
  hookResults: Record<string, HookResult[]>;
};

const wordFor = ({ verdict, error }: CheckResult): string =>
  error ? 'error' : verdict ? 'passed' : 'failed';

/** What the bench says of what stands in the editor. */
async function benched({ phase, text, checks, actions }: Fixture): Promise<Verdict & { status: number }> {
  const input = { checks, actions, text, phase, workspaceId: world.app.workspaceId };
  const { testGuardrails } = dataOf(await world.app.graphql(document, { input }, world.app.workspaceKey));
  const tried = testGuardrails as Tried;
  const [result] =
    tried.hookResults[phase === 'input' ? 'before_request_hooks' : 'after_request_hooks'] ?? [];
  return {
    verdict: tried.verdict,
    denied: tried.denied,
    checks: result?.checks.map((check) => [check.id, wordFor(check)]) ?? [],
    text: tried.denied ? null : tried.text,
    status: tried.status,
  };
}

const cut = (text: string) => text.match(/.{1,5}/gs) ?? [];

/** A call under the guardrail, which is saved by now. */
async function called(slug: string, { phase, text }: Fixture, isStream: boolean): Promise<Logged> {
  const said = phase === 'output' ? text : 'All is well.';
  const content = phase === 'input' ? text : 'Say something.';
  return world.logged(isStream ? eventStream(chatFrames(cut(said))) : json(200, chatAnswer(said)), {
    config: { provider: `@${world.slug}`, [`${phase}_guardrails`]: [slug] },
    body: { model: 'gpt-test', messages: [{ role: 'user', content }], stream: isStream },
  });
}

const streamed = (text: string): string =>
  [...text.matchAll(/^data: (\{.*)$/gm)]
    .map(([, data = '']) => JSON.parse(data).choices?.[0]?.delta?.content ?? '')
    .join('');

/** What the call came to, by its log, and the text that went on: to the provider, or to the caller. */
function judged({ record, answer }: Logged, { phase }: Fixture, isStream: boolean): Verdict {
  const [ran] = decodeGuardrails(record.guardrails ?? '').ran;
  const sent = JSON.parse(world.provider.requests.at(-1)?.body.toString() || '{}');
  const textOf = () =>
    phase === 'input'
      ? sent.messages[0].content
      : isStream
        ? streamed(answer.text)
        : answer.json.choices[0].message.content;
  return {
    verdict: ran?.verdict ?? true,
    denied: ran?.denied ?? false,
    checks: ran?.checks.map(({ id, verdict }) => [id, verdict]) ?? [],
    text: ran?.denied ? null : textOf(),
  };
}

let made = 0;

it.each(benchFixtures)('the bench says what calls come to: $what', async (fixture) => {
  const { status, ...said } = await benched(fixture);
  expect({ denied: said.denied, verdict: said.verdict }).toEqual(fixture.expected);
  const { slug } = await created(world.app, '/v1/guardrails', {
    name: `Bench ${made++}`,
    checks: fixture.checks,
    actions: fixture.actions,
  });
  const whole = await called(slug, fixture, false);
  expect(judged(whole, fixture, false)).toEqual(said);
  expect(whole.answer.status).toBe(status);

  const stream = await called(slug, fixture, true);
  expect(judged(stream, fixture, true)).toEqual(said);
  // What is refused in the midst of a stream has its status behind it.
  if (fixture.phase === 'input') expect(stream.answer.status).toBe(status);
});
