import { expect } from '@jest/globals';
import { dataOf } from '../../subgraphs/support.ts';
import type { Answer, TestApp } from '../../support/app.ts';

/** A service key with what a provisioning client needs, and no more. */
export const provisioningScopes = ['list', 'read', 'create', 'update', 'delete'].map(
  (verb) => `organisation_users.${verb}`,
);

export type ScimClient = {
  get(path: string): Promise<any>;
  /** The body of an answer that must have this status. */
  send(method: string, path: string, body: object | undefined, status: number): Promise<any>;
  ask(method: string, path: string, body?: object): Promise<Answer>;
};

/** Speaks SCIM as identity providers do: one long-lived bearer token, media type and all. */
export async function scimClient(app: TestApp, adminKey = app.adminKey, scopes = provisioningScopes) {
  const made = await app.rest('POST', '/v1/api-keys/organisation/service', {
    key: adminKey,
    body: { name: 'SCIM', scopes },
  });
  const { key } = made.body as { key: string };
  const ask = (method: string, path: string, body?: object) =>
    app.rest(method, `/scim/v2${path}`, {
      key: null,
      body,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/scim+json',
        ...(body && { 'content-type': 'application/scim+json; charset=utf-8' }),
      },
    });
  const send: ScimClient['send'] = async (method, path, body, status) => {
    const answer = await ask(method, path, body);
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
    if (answer.body !== '') expect(answer.headers.get('content-type')).toBe('application/scim+json');
    return answer.body;
  };
  return { ask, send, get: (path: string) => send('GET', path, undefined, 200) } satisfies ScimClient;
}

/** What a user is in a workspace, and by what; null for nobody. */
export async function placeOf(app: TestApp, userId: string, workspaceId = app.workspaceId) {
  const answer = await app.graphql(
    'query ($w: ID!, $u: ID!) { member(workspaceId: $w, userId: $u) { role ownRole groupRole } }',
    { w: workspaceId, u: userId },
  );
  return answer.errors ? null : answer.data.member;
}

export async function mapGroup(app: TestApp, groupId: string, role: string): Promise<string> {
  const body = { workspace_id: app.workspaceId, role, scim_group_id: groupId };
  const answer = await app.rest('POST', '/v1/scim/workspaces', { key: app.adminKey, body });
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body as { id: string }).id;
}

/** A key that stands for a user in the app's own workspace. */
export async function userKey(app: TestApp, userId: string): Promise<string> {
  const input = { name: 'x', scopes: ['logs.list'], workspaceId: app.workspaceId, userId };
  const document =
    'mutation ($input: CreateWorkspaceUserApiKeyInput!) { createWorkspaceUserApiKey(input: $input) { key } }';
  return dataOf(await app.graphql(document, { input })).createWorkspaceUserApiKey.key;
}

export const statusOf = async (app: TestApp, key: string) =>
  (await app.rest('GET', '/v1/logs', { key })).status;

export const patchOf = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});
