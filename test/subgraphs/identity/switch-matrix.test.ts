import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SwitchName, scopesFor, switchNames } from '../../../src/auth/index.ts';
import { type Caller, createCallers } from '../../contract/access/callers.ts';
import { type Browser, signedIn } from '../../support/browser.ts';
import { json } from '../../support/provider.ts';
import { addUser } from '../../support/users.ts';
import { startWorld, type World } from '../../support/world.ts';
import { dataOf } from '../support.ts';
import { type Change, changes, type Role, roles } from './switch-changes.ts';
import { doors } from './switch-doors.ts';

let world: World;
let logId: string;
let guardrailId: string;

/** A person with the role, and a service account with it; a user key of the person for those of a workspace. */
type Actor = { browser: Browser; account: Caller; key: string | null };
const actors = {} as Record<Role, Actor>;

beforeAll(async () => {
  world = await startWorld();
  const { app } = world;
  logId = (await world.logged(json(200, { id: 'x', choices: [] }))).record._id;
  const guardrail = { name: 'x', checks: [{ id: 'default.wordCount', parameters: { minWords: 1 } }] };
  const { body } = await app.rest('POST', '/v1/guardrails', { key: app.workspaceKey, body: guardrail });
  guardrailId = (body as { id: string }).id;
  const callers = createCallers(app, app);
  const make = async (role: Role): Promise<Actor> => {
    const [place = '', name] = role.split('_') as [string, 'owner' | 'admin' | 'manager' | 'member'];
    const isOfWorkspace = place === 'workspace';
    const user = await addUser(app, {
      role: isOfWorkspace ? 'member' : 'admin',
      ...(isOfWorkspace && { inWorkspace: name as 'admin' | 'manager' | 'member' }),
    });
    const created = await app.rest('POST', '/v1/api-keys/workspace/user', {
      key: app.adminKey,
      body: {
        name: role,
        user_id: user._id,
        workspace_id: app.workspaceId,
        scopes: scopesFor('workspace-user'),
      },
    });
    const browser = await signedIn(app, user._id, await app.token());
    if (role === 'organisation_owner') {
      const document = 'mutation ($userId: ID!) { transferOwnership(userId: $userId) { role } }';
      dataOf(await app.graphql(document, { userId: user._id }, await app.token()));
    }
    return {
      browser,
      account: {
        ...(await callers.withRole(role, isOfWorkspace ? app.workspaceId : undefined)),
        'x-gateway-workspace-id': app.workspaceId,
      },
      key: (created.body as { key: string }).key,
    };
  };
  for (const role of roles) actors[role] = await make(role);
});
afterAll(() => world.stop());

const permissionsOf = async ({ browser }: Actor): Promise<string[]> =>
  dataOf(await browser.graphql('{ viewer { permissions } }', {}, world.app.workspaceId)).viewer.permissions;

const everybody = async () =>
  Object.fromEntries(
    await Promise.all(roles.map(async (role) => [role, await permissionsOf(actors[role])] as const)),
  );

const setInOrganisation = async (switches: object | null, overridableSwitches?: SwitchName[]) =>
  dataOf(
    await actors.organisation_owner.browser.graphql(
      'mutation ($input: UpdateOrganisationSettingsInput!) { updateOrganisationSettings(input: $input) { id } }',
      { input: { switches, ...(overridableSwitches && { overridableSwitches }) } },
    ),
  );
const setInWorkspace = async (switches: object | null) =>
  world.app.graphql(
    'mutation ($id: ID!, $input: UpdateWorkspaceSettingsInput!) { updateWorkspaceSettings(id: $id, input: $input) { id } }',
    { id: world.app.workspaceId, input: { switches } },
    world.app.adminKey,
  );

/** How the graph answers what is let in and is a mistake, or about nothing. */
const letIn = [undefined, 'VALIDATION_FAILED', 'INVALID_CONFIG', 'NOT_FOUND', 'GUARDRAIL_NOT_FOUND'];

/** How the doors of a scope answer an actor: whether each is open. */
async function opened(scope: string, { browser, account, key }: Actor) {
  const { app } = world;
  const places = { logId, guardrailId, workspaceId: app.workspaceId };
  const { query, method = 'GET', path, body, subscription } = doors(places)[scope] ?? {};
  const ask = async (caller: { key: string | null; headers?: Caller }) => {
    const { status } = await app.rest(method, path ?? '', { ...caller, body });
    // What is let in may be a mistake, or about nothing.
    expect([200, 400, 403, 404]).toContain(status);
    return status !== 403;
  };
  const answer = query && (await browser.graphql(query, {}, app.workspaceId));
  const code = answer ? answer.errors?.[0]?.extensions.code : undefined;
  expect(['FORBIDDEN', ...letIn]).toContain(code);
  return {
    ...(answer && { graph: code !== 'FORBIDDEN' }),
    ...(path && { rest: await ask({ key: null, headers: account }) }),
    ...(path && key && scopesFor('workspace-user').includes(scope) && { key: await ask({ key }) }),
    ...(subscription && { subscription: await subscribes(subscription, account) }),
  };
}

async function subscribes(query: string, account: Caller): Promise<boolean> {
  const leaving = new AbortController();
  const response = await fetch(`${world.app.url}/graphql/stream`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...account },
    body: JSON.stringify({ query }),
    signal: leaving.signal,
  });
  const first = await Promise.race([
    response.body?.getReader().read(),
    new Promise<null>((resolve) => setTimeout(resolve, 300, null)),
  ]);
  leaving.abort();
  return response.status === 200 && !new TextDecoder().decode(first?.value).includes('FORBIDDEN');
}

/** A switch as it holds in the workspace, and who says so. */
async function effective(name: SwitchName): Promise<unknown> {
  const query = '{ workspaces { data { id effectiveSwitches { name isOn origin } } } }';
  const { workspaces } = dataOf(await world.app.graphql(query, {}, world.app.adminKey));
  const [{ effectiveSwitches: found }] = workspaces.data;
  expect(found.map((each: { name: string }) => each.name)).toEqual(switchNames);
  return found.find((each: { name: string }) => each.name === name);
}

const changedBy = (before: string[], { loses = [], gains = [] }: Change): string[] =>
  [...before.filter((scope) => !loses.includes(scope)), ...gains].sort();

it('has an expectation for each switch', () => {
  expect(Object.keys(changes).sort()).toEqual([...switchNames].sort());
});

const nowhere = { logId: 'x', guardrailId: 'x', workspaceId: 'x' };

it('has a door for each scope, but for those that nothing asks for', () => {
  const scopes = Object.values(changes).flatMap(({ loses = [], gains = [] }) => [...loses, ...gains]);
  const without = new Set(
    scopes.filter((scope) => !(scope in doors(nowhere)) && !scope.startsWith('prompts.')),
  );
  expect(without).toEqual(new Set(['virtual_keys.copy', 'virtual_keys.duplicate']));
});

describe.each(switchNames.map((name) => [name, changes[name]] as const))('%s', (name, change) => {
  const isOn = change.gains === undefined;
  let before: Record<string, string[]>;
  beforeAll(async () => {
    await setInOrganisation(null, []);
    await setInWorkspace(null);
    before = await everybody();
  });
  afterAll(async () => {
    await setInWorkspace(null);
    await setInOrganisation(null, []);
  });

  it('changes what its role may do, and nothing else', async () => {
    await setInOrganisation({ [name]: !isOn });
    expect(await everybody()).toEqual({
      ...before,
      [change.role]: changedBy(before[change.role] ?? [], change),
    });
    expect(await effective(name)).toEqual({ name, isOn: !isOn, origin: 'organisation' });
    await setInOrganisation({ [name]: null });
    expect(await everybody()).toEqual(before);
    expect(await effective(name)).toEqual({ name, isOn, origin: 'default' });
  });

  // What hides requests takes no scope; switch-data.test.ts is about that.
  const scopes = [...(change.loses ?? []), ...(change.gains ?? [])].filter(
    (scope) => scope in doors(nowhere),
  );
  (scopes.length > 0 ? it : it.skip)('counts at every door of what it gives or takes', async () => {
    const wrong = async (role: Role, isOpen: boolean) => {
      const found = await Promise.all(
        scopes.map(async (scope) => {
          const { key, ...others } = await opened(scope, actors[role]);
          // A key may do what its maker gave it, unless a switch takes it from the role.
          const ofKey = key !== undefined && (isOn || isOpen) ? { key } : {};
          return Object.entries({ ...others, ...ofKey })
            .filter(([, open]) => open !== isOpen)
            .map(([door]) => `${role} at ${scope}, ${door}`);
        }),
      );
      return found.flat();
    };
    await setInOrganisation({ [name]: true });
    expect(await wrong(change.role, true)).toEqual([]);
    await setInOrganisation({ [name]: false });
    expect(await wrong(change.role, false)).toEqual([]);
    for (const role of ['organisation_owner', 'workspace_admin'] as const)
      expect(await wrong(role, true)).toEqual([]);
  });

  it('holds in a workspace that differs, only where the organisation lets it', async () => {
    await setInOrganisation({ [name]: null }, []);
    const refused = await setInWorkspace({ [name]: !isOn });
    expect(refused.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: `input.switches.${name}`,
    });
    expect(await everybody()).toEqual(before);
    if (change.role === 'organisation_admin') return;
    await setInOrganisation({ [name]: null }, [name]);
    dataOf(await setInWorkspace({ [name]: !isOn }));
    expect(await everybody()).toEqual({
      ...before,
      [change.role]: changedBy(before[change.role] ?? [], change),
    });
    expect(await effective(name)).toEqual({ name, isOn: !isOn, origin: 'workspace' });
    await setInOrganisation(null, []);
    expect(await effective(name)).toEqual({ name, isOn, origin: 'default' });
    expect(await everybody()).toEqual(before);
  });
});
