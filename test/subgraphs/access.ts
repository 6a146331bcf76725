import { describe, expect, it } from '@jest/globals';
import type { ApiKeyType } from '../../src/auth/index.ts';
import type { Tenant, TestApp } from '../support/app.ts';
import { auditRows, dumpResources, errorOf, makeKey } from './support.ts';

export type Operation = {
  document: string;
  /** Asked when the tests run, since they name what `beforeAll` made. */
  variables?: () => Record<string, unknown>;
  /** A key without any of these is refused. */
  scopes: string[];
  /** `config.create`, for mutations. */
  audit?: string;
  /** `id` names a document: another tenant, and an unknown id, answer NOT_FOUND, or what `missing` says. */
  addressed?: boolean;
  /** What an unknown id answers where that is another error. */
  missing?: string;
};

export type Setting = { app: TestApp; neighbour: Tenant };

/**
 * What every operation promises: no credential and a missing scope are refused, a neighbour's document does not exist,
 * nothing changes then, and the audit trail has each of these mutations that came with a credential.
 */
export function describeAccess(
  setting: () => Setting,
  keyType: ApiKeyType,
  operations: Record<string, Operation>,
): void {
  describe.each(Object.entries(operations))('%s', (_name, operation) => {
    const { document, variables, scopes, audit, addressed, missing = 'NOT_FOUND' } = operation;
    const call = async (key: string | null, change: Record<string, unknown> = {}) => {
      const { app } = setting();
      const before = await dumpResources(app);
      const { body } = await app.rest('POST', '/graphql', {
        key,
        body: { query: document, variables: { ...variables?.(), ...change } },
      });
      expect(await dumpResources(app)).toBe(before);
      return errorOf(body as Parameters<typeof errorOf>[0]);
    };
    const audited = async (outcome: string) => {
      const [resourceType, action] = audit?.split('.') ?? [];
      return (await auditRows(setting().app, { resourceType, action, outcome })).length;
    };

    it('needs a credential', async () => {
      expect(await call(null)).toMatchObject({ code: 'UNAUTHENTICATED' });
    });

    it('needs its scope, and records a refused change', async () => {
      const { app } = setting();
      const key = await makeKey(app, keyType, { without: scopes });
      const rows = audit ? await audited('refused') : 0;
      expect(await call(key)).toMatchObject({ code: 'FORBIDDEN' });
      if (audit) expect(await audited('refused')).toBe(rows + 1);
    });

    if (!addressed) return;
    it('does not find what another tenant has, or nobody', async () => {
      const { app, neighbour } = setting();
      expect(await call(neighbour.adminKey)).toMatchObject({ code: missing });
      expect(await call(neighbour.workspaceKey)).toMatchObject({
        code: expect.stringMatching(/NOT_FOUND|FORBIDDEN/),
      });
      const nobody = { id: '0192aaaa-0000-7000-8000-000000000000' };
      expect(await call(app.adminKey, nobody)).toMatchObject({ code: missing });
    });
  });
}
