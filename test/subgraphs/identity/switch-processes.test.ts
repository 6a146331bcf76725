import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Browser, openBrowser, signedIn } from '../../support/browser.ts';
import { sharedDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { addUser } from '../../support/users.ts';
import { dataOf } from '../support.ts';
import { accountWith } from './accounts.ts';
import { asBearer } from './bearer.ts';

let database: TestDatabase;
let first: TestApp;
/** Another process of the same installation. */
let second: TestApp;
let manager: Browser;
/** A key of the manager, and an account with the same role. */
let key: string;
let token: string;

beforeAll(async () => {
  database = await sharedDatabase();
  const env = { MONGODB_URI: database.uri, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  first = await startApp(env);
  second = await startApp(env);
  const { _id } = await addUser(first, { inWorkspace: 'manager' });
  manager = openBrowser(second);
  manager.cookie = (await signedIn(first, _id, await first.token())).cookie;
  const made = await first.rest('POST', '/v1/api-keys/workspace/user', {
    key: first.adminKey,
    body: { name: 'x', user_id: _id, workspace_id: first.workspaceId, scopes: ['guardrails.list'] },
  });
  key = (made.body as { key: string }).key;
  const place = { workspaceId: first.workspaceId };
  token = (await accountWith(first, await first.token(), 'workspace_manager', place)).token;
});
afterAll(async () => {
  await second.stop();
  await first.stop();
  await database.drop();
});

/** Who sees guardrails at the second process: a sign-in, a key of its user, an account. */
async function seeing() {
  const { data } = await manager.graphql('{ guardrails { total } }', {}, first.workspaceId);
  const byKey = await second.rest('GET', '/v1/guardrails', { key });
  const byToken = await second.rest('GET', '/v2/guardrails', asBearer(token));
  return { signIn: data?.guardrails !== null, key: byKey.status === 200, account: byToken.status === 200 };
}

const everybody = { signIn: true, key: true, account: true };
const nobody = { signIn: false, key: false, account: false };

const setIn = async (field: string, type: string, id: string, input: object) =>
  dataOf(
    await first.graphql(
      `mutation ($input: ${type}!) { ${field}(${id}input: $input) { id } }`,
      { input },
      first.adminKey,
    ),
  );
const ofOrganisation = (input: object) =>
  setIn('updateOrganisationSettings', 'UpdateOrganisationSettingsInput', '', input);
const ofWorkspace = (input: object) =>
  setIn('updateWorkspaceSettings', 'UpdateWorkspaceSettingsInput', `id: "${first.workspaceId}", `, input);

/** Milliseconds until the second process answers everybody so. */
async function untilSeen(expected: object): Promise<number> {
  const startedAt = performance.now();
  await eventually(async () => expect(await seeing()).toEqual(expected));
  return performance.now() - startedAt;
}

it('a switch that one process changes holds at another within a second', async () => {
  expect(await seeing()).toEqual(everybody);
  const times: number[] = [];
  for (const isOn of [false, true, false, true, false]) {
    await ofOrganisation({ switches: { managersViewGuardrails: isOn } });
    times.push(await untilSeen(isOn ? everybody : nobody));
  }
  // The middle one of five: a pause of a busy machine is none of the gateway's.
  expect(times.sort((one, other) => one - other)[2]).toBeLessThan(1000);
});

it('so does what a workspace sets, and that it may set it no more', async () => {
  await ofOrganisation({ overridableSwitches: ['managersViewGuardrails'] });
  await ofWorkspace({ switches: { managersViewGuardrails: true } });
  await untilSeen(everybody);
  await ofOrganisation({ overridableSwitches: [] });
  await untilSeen(nobody);
});
