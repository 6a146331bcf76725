import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { describeAccess, type Setting } from '../access.ts';
import { dataOf, errorOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let workspace: string;
const setting = (): Setting => ({ app, neighbour });

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  const made = await app.graphql('mutation { createWorkspace(input: { name: "Audited" }) { id } }');
  workspace = dataOf(made).createWorkspace.id;
  await app.graphql('mutation { deleteWorkspace(id: "nothing") }');
  await app.graphql('mutation { createWorkspace(input: { name: "No" }) { id } }', {}, app.workspaceKey);
});
afterAll(() => app.stop());

const hour = 60 * 60 * 1000;
const at = (offset: number) => new Date(Date.now() + offset).toISOString();
const list = (filters: object = {}, change: object = {}, key?: string) =>
  app.graphql(
    `query ($startTime: DateTime!, $endTime: DateTime!, $filters: AuditLogFilters, $pageSize: Int! = 100) {
      auditLogs(startTime: $startTime, endTime: $endTime, filters: $filters, pageSize: $pageSize) {
        object total
        records { action outcome resourceType responseStatusCode targetId userType method uri organisationId requestBody }
      }
    }`,
    { startTime: at(-hour), endTime: at(hour), filters, ...change },
    key,
  );
const records = async (filters: object) => dataOf(await list(filters)).auditLogs.records;

describeAccess(setting, 'organisation-service', {
  auditLogs: {
    document: '{ auditLogs(startTime: "2026-01-01T00:00:00Z", endTime: "2027-01-01T00:00:00Z") { total } }',
    scopes: ['audit_logs.list'],
  },
});

describe('the audit trail', () => {
  it('has what was done, what failed and what was refused', async () => {
    expect(await records({ resourceType: 'workspace', action: 'create' })).toMatchObject([
      { outcome: 'refused', responseStatusCode: 403, targetId: null },
      {
        outcome: 'success',
        responseStatusCode: 200,
        targetId: workspace,
        userType: 'api_key',
        method: 'POST',
        organisationId: app.organisationId,
        requestBody: '{"input":{"name":"Audited"}}',
      },
    ]);
    expect(await records({ responseStatusCode: 404 })).toMatchObject([
      { action: 'delete', outcome: 'failed' },
    ]);
  });

  it('is narrowed by workspace, method, path and user type', async () => {
    expect(await records({ workspaceId: app.workspaceId })).toMatchObject([{ outcome: 'refused' }]);
    expect(await records({ method: 'DELETE' })).toEqual([]);
    expect(await records({ userType: 'user' })).toEqual([]);
  });

  it('is narrowed by outcome and target, and read from its beginning when asked', async () => {
    expect(await records({ outcome: 'refused' })).toMatchObject([{ outcome: 'refused' }]);
    expect(await records({ targetId: workspace })).toMatchObject([{ action: 'create', outcome: 'success' }]);
    expect(errorOf(await list({ outcome: 'maybe' })).param).toBe('filters.outcome');
    const [first] = await records({});
    const oldest = dataOf(
      await app.graphql(
        `query ($startTime: DateTime!, $endTime: DateTime!) {
          auditLogs(startTime: $startTime, endTime: $endTime, order: asc) { records { outcome targetId } }
        }`,
        { startTime: at(-hour), endTime: at(hour) },
      ),
    ).auditLogs.records;
    expect(oldest[0]).toEqual({ outcome: 'success', targetId: workspace });
    expect(oldest.at(-1)).toMatchObject({ outcome: first.outcome, targetId: first.targetId });
  });

  it('gives a page of nothing with the number alone', async () => {
    const { total, records: none } = dataOf(await list({}, { pageSize: 0 })).auditLogs;
    expect(total).toBeGreaterThan(0);
    expect(none).toEqual([]);
  });

  it('of another organisation is out of reach', async () => {
    expect(dataOf(await list({}, {}, neighbour.adminKey)).auditLogs.total).toBe(0);
    expect(errorOf(await list({ organisationId: neighbour.organisationId }))).toEqual({
      code: 'FORBIDDEN',
      param: 'filters.organisationId',
    });
  });

  it('is refused for a time that ends before it starts, and for pages that are too long', async () => {
    expect(errorOf(await list({}, { endTime: at(-2 * hour) })).param).toBe('endTime');
    expect(errorOf(await list({}, { pageSize: 101 })).param).toBe('pageSize');
  });
});
