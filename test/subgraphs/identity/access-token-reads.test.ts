import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type CountedApp, startCountedApp } from '../../support/counted-app.ts';
import { asBearer } from './bearer.ts';

let app: CountedApp;
beforeAll(async () => {
  app = await startCountedApp({});
});
afterAll(() => app.stop());

it('a token is issued with five reads, the last of them for what the organisation lets roles do', async () => {
  const { commands } = await app.commandsOf(() => app.token());
  expect(commands).toEqual([
    'find service_accounts',
    'find service_accounts',
    'find tenants',
    'find access_policies',
    'find organisations',
  ]);
});

it('a token costs the data plane no read after its first sight, nor does a second one of the same account', async () => {
  const list = (token: string) =>
    app.rest('GET', '/v1/models', asBearer(token, { 'x-gateway-workspace-id': app.workspaceId }));
  const token = await app.token();
  expect((await list(token)).status).toBe(200);
  expect((await app.commandsOf(() => list(token))).commands).toEqual([]);
  const another = await app.token();
  const { answer, commands } = await app.commandsOf(() => list(another));
  expect([answer.status, commands]).toEqual([200, []]);
});

it('what is no token of ours costs no read', async () => {
  const [head, body] = (await app.token()).split('.');
  const wrong = `${head}.${body}.${'A'.repeat(86)}`;
  const { answer, commands } = await app.commandsOf(() => app.rest('GET', '/v2/configs', asBearer(wrong)));
  expect([answer.status, commands]).toEqual([401, []]);
});
