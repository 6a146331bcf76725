import { beforeAll, describe, expect, it } from '@jest/globals';
import { iamPermissions, type Permission } from '../../../src/auth/index.ts';
import type { TestApp } from '../../support/app.ts';
import type { Operation } from '../access.ts';
import { auditRows, dumpResources, errorOf } from '../support.ts';
import { accountWith } from './accounts.ts';

export type Setting = { app: TestApp; admin: string; neighbour: { token: string } };

type TokenOperation = Omit<Operation, 'scopes'>;

/**
 * What every operation on identities promises: it takes access tokens with its permission on the whole tenant; a gateway
 * key, however mighty, and a token that is narrowed to a workspace do not do; nothing changes then, the trail has each refused mutation, and
 * what another tenant has does not exist.
 */
export function describeTokenAccess(
  setting: () => Setting,
  permission: Permission,
  operations: Record<string, TokenOperation>,
  { onWorkspace = false } = {},
): void {
  let limited: string;
  beforeAll(async () => {
    const { app, admin } = setting();
    const others = iamPermissions.filter((name) => name !== permission);
    ({ token: limited } = await accountWith(app, admin, [...others, 'workspaces.read']));
  });

  describe.each(Object.entries(operations))('%s', (_name, operation) => {
    const { document, variables, audit, addressed } = operation;
    const call = async (key: string | null, change: Record<string, unknown> = {}, headers = {}) => {
      const { app } = setting();
      const before = await dumpResources(app);
      const { body } = await app.rest('POST', '/graphql', {
        key,
        headers,
        body: { query: document, variables: { ...variables?.(), ...change } },
      });
      expect(await dumpResources(app)).toBe(before);
      return errorOf(body as Parameters<typeof errorOf>[0]);
    };
    const refused = async () => {
      const [resourceType, action] = audit?.split('.') ?? [];
      return (await auditRows(setting().app, { resourceType, action, outcome: 'refused' })).length;
    };

    it('needs a credential', async () => {
      expect(await call(null)).toMatchObject({ code: 'UNAUTHENTICATED' });
    });

    it('takes no gateway key, and records a refused change', async () => {
      const rows = await refused();
      expect(await call(setting().app.adminKey)).toMatchObject({ code: 'FORBIDDEN' });
      if (audit) expect(await refused()).toBe(rows + 1);
    });

    it(`needs ${permission}`, async () => {
      expect(await call(limited)).toMatchObject({ code: 'FORBIDDEN' });
    });

    if (!onWorkspace)
      it('needs it on the whole tenant', async () => {
        const headers = { 'x-gateway-workspace-id': setting().app.workspaceId };
        expect(await call(setting().admin, {}, headers)).toMatchObject({ code: 'FORBIDDEN' });
      });

    if (!addressed) return;
    it('does not find what another tenant has, or nobody', async () => {
      const { admin, neighbour } = setting();
      expect(await call(neighbour.token)).toMatchObject({ code: 'NOT_FOUND' });
      expect(await call(admin, { id: '0192aaaa-0000-7000-8000-000000000000' })).toMatchObject({
        code: 'NOT_FOUND',
      });
    });
  });
}
