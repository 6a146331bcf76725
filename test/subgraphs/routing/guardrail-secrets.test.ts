import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { dataOf, dump, errorOf } from '../support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const header = 'planted-header-value-41c7';
const signing = 'planted-signing-secret-93b1';
const webhook = (parameters: object = {}) => ({
  id: 'default.webhook',
  parameters: {
    webhookURL: 'https://example.com/judge',
    headers: { 'x-judge': header },
    secret: signing,
    ...parameters,
  },
});
const masked = { headers: { 'x-judge': 'pla***41c7' }, secret: 'pla***93b1' };

type Shown = {
  id: string;
  checks: { parameters: object }[];
  versions: { checks: { parameters: object }[] }[];
};
const selection = 'id checks { id parameters } versions { id checks { parameters } }';
const ask = (query: string, variables: object) => app.graphql(query, variables, app.workspaceKey);
const create = async (checks: object[]): Promise<Shown> =>
  dataOf(
    await ask(
      `mutation ($checks: [GuardrailCheckInput!]!) { made: createGuardrail(input: { name: "s", checks: $checks }) { ${selection} } }`,
      { checks },
    ),
  ).made;
const update = (id: string, checks: object[]) =>
  ask(
    `mutation ($id: ID!, $checks: [GuardrailCheckInput!]) { made: updateGuardrail(id: $id, input: { checks: $checks }) { ${selection} } }`,
    { id, checks },
  );

describe('credentials in the parameters of a check', () => {
  it('are masked wherever they are shown, and stand in no collection', async () => {
    const made = await create([webhook()]);
    const shown = webhook(masked).parameters;
    expect(made.checks[0]?.parameters).toEqual(shown);
    expect(made.versions[0]?.checks[0]?.parameters).toEqual(shown);
    const stored = await dump(app);
    expect(stored).toContain('https://example.com/judge');
    for (const secret of [header, signing]) expect(stored).not.toContain(secret);
  });

  it('stay where an update sends their masks, and change where it sends others', async () => {
    const made = await create([{ id: 'default.wordCount' }, webhook()]);
    // The check is found though it stands elsewhere now.
    const kept = dataOf(await update(made.id, [webhook({ ...masked, timeout: 1000 })])).made;
    expect(kept.checks[0].parameters).toEqual(webhook({ ...masked, timeout: 1000 }).parameters);
    const changed = dataOf(
      await update(made.id, [webhook({ ...masked, secret: 'another-secret-0007' })]),
    ).made;
    expect(changed.checks[0].parameters).toMatchObject({ ...masked, secret: 'ano***0007' });
    // The same credentials again are no new version.
    const versions = changed.versions.length;
    const again = dataOf(await update(made.id, [webhook({ secret: 'another-secret-0007' })])).made;
    expect(again.versions).toHaveLength(versions);
  });

  it('are not sent where nobody has sent them before', async () => {
    const made = await create([webhook()]);
    const elsewhere = webhook({ ...masked, webhookURL: 'https://attacker.example/' });
    const refused = await update(made.id, [elsewhere]);
    expect(errorOf(refused)).toEqual({
      code: 'VALIDATION_FAILED',
      param: expect.stringMatching(/^input\.checks\[0\]\.parameters\.(headers\.x-judge|secret)$/),
    });
    const brought = webhook({ webhookURL: 'https://attacker.example/' });
    expect(dataOf(await update(made.id, [brought])).made.checks[0].parameters.secret).toBe(masked.secret);
  });

  it('are not taken from masks that stand for none of them', async () => {
    const wrong = webhook({ ...masked, secret: 'abc***1234' });
    const made = await create([webhook()]);
    expect(errorOf(await update(made.id, [wrong]))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.checks[0].parameters.secret',
    });
    const refused = await ask(
      'mutation ($checks: [GuardrailCheckInput!]!) { createGuardrail(input: { name: "s", checks: $checks }) { id } }',
      { checks: [webhook(masked)] },
    );
    expect(errorOf(refused).code).toBe('VALIDATION_FAILED');
  });
});
