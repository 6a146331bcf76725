import { expect } from '@jest/globals';
import { type ApiKeyType, scopesFor } from '../../src/auth/index.ts';
import type { GraphAnswer, TestApp } from '../support/app.ts';

/** Everything stored, by collection, as one text: to see that nothing changed, or that a secret is nowhere. */
export async function dump(app: TestApp, without: readonly string[] = []): Promise<string> {
  const names = (await app.db.listCollections()).map(({ name }) => name).sort();
  const contents = await Promise.all(
    names
      .filter((name) => !without.includes(name))
      .map(
        async (name) => [name, await app.db.collection(name).find({}).sort({ _id: 1 }).toArray()] as const,
      ),
  );
  return JSON.stringify(Object.fromEntries(contents));
}

/** Collections that processes write on their own time: a comparison of two moments leaves them out. */
export const ownTime: readonly string[] = [
  'api_key_uses',
  'leases',
  'log_batches',
  'log_rollups',
  'run_instances',
];

/** What a refused call may not touch: all but the audit trail itself, and what processes write on their own time. */
export const dumpResources = (app: TestApp) =>
  dump(app, ['audit_logs', 'audit_heads', 'events', 'revisions', ...ownTime]);

/** A new key of the app's own tenant; by default with all the scopes that its type may hold. */
export async function makeKey(
  app: TestApp,
  type: ApiKeyType,
  { only, without = [] }: { only?: string[]; without?: string[] } = {},
): Promise<string> {
  const scopes = (only ?? scopesFor(type)).filter((scope) => !without.includes(scope));
  const [family, kind] = type.split('-');
  const { body, status } = await app.rest('POST', `/v1/api-keys/${family}/${kind}`, {
    key: app.adminKey,
    body: { name: 'limited', scopes, ...(family === 'workspace' && { workspace_id: app.workspaceId }) },
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as { key: string }).key;
}

/** The one error of an answer, as code and field. */
export function errorOf({ errors }: GraphAnswer) {
  const [error] = errors ?? [];
  return { code: error?.extensions.code, param: error?.extensions.param ?? null };
}

/** The data of an answer that must not have failed. */
export function dataOf(answer: GraphAnswer) {
  expect(answer.errors ?? []).toEqual([]);
  return answer.data;
}

export const auditRows = (app: TestApp, filter: object) =>
  app.db.collection('audit_logs').find(filter).sort({ timestamp: 1, _id: 1 }).toArray();
