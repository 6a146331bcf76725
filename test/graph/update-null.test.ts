import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
}, 120_000);
afterAll(() => app.stop());

it('an update refuses null for what cannot be taken away, naming it, and changes nothing', async () => {
  const { body } = await app.rest('POST', '/v1/configs', {
    body: { name: 'kept', config: { retry: { attempts: 1 } } },
  });
  const { id } = (body as { data: { id: string } }).data;
  const refused = await app.rest('PUT', `/v1/configs/${id}`, { body: { name: null, status: 'archived' } });
  expect({ status: refused.status, body: refused.body }).toMatchObject({
    status: 400,
    body: {
      error: {
        param: 'name',
        message: expect.stringContaining('must not be null; leave it out to keep it.'),
      },
    },
  });
  const { data } = await app.graphql('query ($id: ID!) { config(id: $id) { name status } }', { id });
  expect(data.config).toEqual({ name: 'kept', status: 'active' });
});

it.each([
  ['a member that is missing', { token: 'planted-token', lastName: 'L' }],
  ['a member of another type', { token: 'planted-token', firstName: {}, lastName: 'L' }],
  ['the secret itself in a list', { token: ['planted-token'], firstName: 'F', lastName: 'L' }],
])('an error about input does not quote its secret members: %s', async (_what, input) => {
  const answer = await app.graphql(
    'mutation ($input: AcceptInviteInput!) { acceptInvite(input: $input) { userId } }',
    { input },
  );
  expect(answer.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  expect(JSON.stringify(answer)).not.toContain('planted-token');
});
