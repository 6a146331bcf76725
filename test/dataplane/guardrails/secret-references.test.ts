import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dataOf, dump } from '../../subgraphs/support.ts';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, json, type ScriptedProvider, startProvider } from '../../support/provider.ts';
import { NEW, OLD } from '../../support/secret-managers/rotation.ts';
import { type SecretWorld, startSecretWorld } from '../../support/secret-managers/world.ts';
import { messages } from '../../support/world.ts';

let secret: SecretWorld;
/** A service that a check asks; it says yes to everything. */
let judge: ScriptedProvider;
beforeAll(async () => {
  [secret, judge] = await Promise.all([startSecretWorld(), startProvider()]);
});
afterAll(async () => {
  await secret.stop();
  await judge.stop();
});
beforeEach(() => {
  secret.reset();
  secret.world.provider.play(json(200, chatAnswer('hello')));
  judge.play(json(200, { verdict: true }));
});

const asking = (credential: string, more: object = {}) => ({
  id: 'default.webhook',
  parameters: { webhookURL: judge.url, headers: { authorization: `${credential}` }, ...more },
});
const rest = (method: string, path: string, body?: object, key = secret.world.app.adminKey) =>
  secret.world.app.rest(method, `/v1${path}`, { key, body });
const save = (check: object, more: object = {}) =>
  rest('POST', '/guardrails', {
    name: 'judged',
    workspace_id: secret.world.app.workspaceId,
    checks: [check],
    actions: { deny: true },
    ...more,
  });
const saved = async (check: object, more: object = {}) => {
  const { status, body } = await save(check, more);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body as { id: string; slug: string };
};
const ask = (config: object) =>
  secret.world.call({
    config: { provider: `@${secret.world.slug}`, ...config },
    body: { model: 'gpt-test', messages },
  });
const sent = () => judge.requests.map(({ headers }) => headers.authorization);

describe('a credential of a check that a secret manager keeps', () => {
  it('is sent to the service, follows a rotation, and is stored nowhere', async () => {
    const { slug } = await secret.reference();
    const guardrail = await saved(asking(`secret-reference:${slug}`));
    const config = { input_guardrails: [guardrail.slug] };
    expect((await ask(config)).status).toBe(200);
    expect(sent()).toEqual([OLD]);
    expect(await dump(secret.world.app)).not.toContain(OLD);
    secret.vault.secrets.set('secret/openai', { key: NEW });
    await eventually(async () => {
      await ask(config);
      expect(sent().at(-1)).toBe(NEW);
    });
  });

  it('is shown by the name of its reference, whichever name it was given by', async () => {
    const { id, slug } = await secret.reference();
    const guardrail = await saved(asking(`secret-reference:${id}#key`));
    const { body } = await rest('GET', `/guardrails/${guardrail.id}`);
    const written = asking(`secret-reference:${slug}#key`);
    expect((body as any).checks[0].parameters).toEqual(written.parameters);
    expect((await rest('PUT', `/guardrails/${guardrail.id}`, { checks: [written] })).status).toBe(200);
  });

  it('is missing where its manager has none: the check fails as its errors do', async () => {
    const { slug } = await secret.reference({ secretKey: 'other' });
    const lenient = await saved(asking(`secret-reference:${slug}`));
    const strict = await saved(asking(`secret-reference:${slug}`, { failOnError: true }));
    const passed = await ask({ input_guardrails: [lenient.slug] });
    expect(passed.status).toBe(200);
    expect(JSON.stringify(passed.json)).toContain(`The secret reference ${slug} is missing.`);
    expect((await ask({ input_guardrails: [strict.slug] })).status).toBe(446);
    expect(judge.requests).toHaveLength(0);
  });

  it('keeps its reference from being deleted', async () => {
    const { id, slug } = await secret.reference();
    const guardrail = await saved(asking(`secret-reference:${slug}`));
    const refused = await rest('DELETE', `/secret-references/${id}`);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      409,
      expect.stringContaining(`the guardrails ${guardrail.slug}`),
    ]);
    await rest('PUT', `/guardrails/${guardrail.id}`, { checks: [asking('plain')] });
    expect((await rest('DELETE', `/secret-references/${id}`)).status).toBe(200);
  });

  it('is had no more where its reference is taken from the workspace', async () => {
    const { id, slug } = await secret.reference();
    const guardrail = await saved(asking(`secret-reference:${slug}`, { failOnError: true }));
    const config = { input_guardrails: [guardrail.slug] };
    expect((await ask(config)).status).toBe(200);
    await rest('PUT', `/secret-references/${id}`, { allow_all_workspaces: false });
    await eventually(async () => expect((await ask(config)).status).toBe(446));
  });

  it('goes with its guardrail through a bundle by the name of its reference', async () => {
    const { slug } = await secret.reference();
    const guardrail = await saved(asking(`secret-reference:${slug}`));
    const { exportBundle } = dataOf(
      await secret.world.app.graphql('{ exportBundle { documents } }', {}, secret.world.app.adminKey),
    );
    const found = exportBundle.documents.find(({ metadata }: any) => metadata.slug === guardrail.slug);
    expect(found.spec.checks[0].parameters.headers).toEqual({ authorization: `secret-reference:${slug}` });
  });
});

describe('the name of a secret reference is refused', () => {
  const refusal = async (answer: Promise<{ status: number; body: any }>) => {
    const { status, body } = await answer;
    return [status, body.error.param, body.error.message];
  };

  it.each([
    ['that there is not', async () => 'secret-reference:nothing'],
    ['without a name', async () => 'secret-reference:'],
    [
      'of another workspace',
      async () => {
        const { id, slug } = await secret.reference();
        await rest('PUT', `/secret-references/${id}`, { allow_all_workspaces: false });
        return `secret-reference:${slug}`;
      },
    ],
  ])('%s', async (_what, name) => {
    expect(await refusal(save(asking(await name())))).toEqual([
      400,
      'checks[0].parameters.headers.authorization',
      expect.stringContaining('secret-reference:<slug>'),
    ]);
  });

  it('of another tenant', async () => {
    const { id } = await secret.reference();
    const other = await secret.world.app.createTenant();
    const answer = await rest(
      'POST',
      '/guardrails',
      { name: 'judged', workspace_id: other.workspaceId, checks: [asking(`secret-reference:${id}`)] },
      other.adminKey,
    );
    expect(answer.status).toBe(400);
  });

  it('in a guardrail that stands in a config or is only tried', async () => {
    const { slug } = await secret.reference();
    const check = asking(`secret-reference:${slug}`);
    const answer = await ask({ input_guardrails: [{ checks: [check], deny: true }] });
    expect([answer.status, JSON.stringify(answer.json)]).toEqual([
      400,
      expect.stringContaining('only saved guardrails may'),
    ]);
    const asked = { checks: [check], text: 'hello' };
    const { workspaceKey } = secret.world.app;
    const tried = await rest('POST', '/gateway/guardrails/check', asked, workspaceKey);
    expect(tried.status).toBe(400);
    expect(judge.requests).toHaveLength(0);
  });
});
