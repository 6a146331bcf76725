import { tsgId as newTsgId, uuid } from '../../src/lib/ids.ts';
import { writeLogs } from '../../src/recording/log/write-logs.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { deploymentModel } from '../../src/subgraphs/catalog/deployment/model.ts';
import { integrationModel } from '../../src/subgraphs/catalog/integration/index.ts';
import { providerModel } from '../../src/subgraphs/catalog/provider/index.ts';
import { accessPolicyModel } from '../../src/subgraphs/identity/access-policy/index.ts';
import { apiKeyModel } from '../../src/subgraphs/identity/api-key/index.ts';
import { inviteModel } from '../../src/subgraphs/identity/invite/index.ts';
import { memberModel } from '../../src/subgraphs/identity/member/index.ts';
import { roleModel } from '../../src/subgraphs/identity/role/index.ts';
import { serviceAccountModel } from '../../src/subgraphs/identity/service-account/index.ts';
import { tenantModel } from '../../src/subgraphs/identity/tenant/index.ts';
import { userModel } from '../../src/subgraphs/identity/user/index.ts';
import { workspaceModel } from '../../src/subgraphs/identity/workspace/index.ts';
import { auditLogModel } from '../../src/subgraphs/insights/audit-log/index.ts';
import { feedbackModel } from '../../src/subgraphs/insights/feedback/index.ts';
import { logExportModel } from '../../src/subgraphs/insights/log-export/index.ts';
import { configModel, configVersionModel } from '../../src/subgraphs/routing/config/index.ts';
import type { Tenant, TestApp } from './app.ts';
import { logEntry } from './logs.ts';

/** A tenant with as many items in each list as `size` says, no two of which share what they refer to. */
export type FilledTenant = Tenant & {
  size: number;
  /** An access token that may see everything there. */
  token: string;
  configId: string;
  integrationId: string;
  inviteId: string;
};

const versionId = (configId: string, number: number) => `${configId}-${number}`;

/** Makes it. A new list has to be filled here too: the proof that its reads do not grow asks for it. */
export async function fillTenant(app: TestApp, size: number): Promise<FilledTenant> {
  const tenant = await app.createTenant();
  const { organisationId, tsgId } = tenant;
  const each = Array.from({ length: size }, (_, index) => ({
    name: `Item ${index}`,
    slug: `item-${index}`,
    workspaceId: uuid(),
    integrationId: uuid(),
    providerId: uuid(),
    configId: uuid(),
    apiKeyId: uuid(),
    childTsgId: newTsgId(),
    userId: uuid(),
    inviteId: uuid(),
  }));

  await workspaceModel(app.db).insertMany(
    each.map(({ workspaceId: _id, name, slug }) => ({ _id, organisationId, name, slug })),
  );
  await userModel(app.db).insertMany(
    each.map(({ userId: _id, slug }) => ({
      _id,
      organisationId,
      email: `${slug}@example.com`,
      firstName: 'Ada',
      lastName: 'Lovelace',
      role: 'member',
    })),
  );
  // Everybody is in every workspace.
  const workspaceIds = [tenant.workspaceId, ...each.map(({ workspaceId }) => workspaceId)];
  await memberModel(app.db).insertMany(
    workspaceIds.flatMap((workspaceId) =>
      each.map(({ userId }) => ({ _id: uuid(), organisationId, workspaceId, userId, role: 'member' })),
    ),
  );
  await inviteModel(app.db).insertMany(
    each.map(({ inviteId: _id, slug }) => ({
      _id,
      organisationId,
      email: `new-${slug}@example.com`,
      role: 'member',
      workspaces: each.map(({ workspaceId }) => ({ workspaceId, role: 'member' })),
      invitedBy: 'somebody',
      expiresAt: new Date('2100-01-01T00:00:00Z'),
    })),
  );
  await integrationModel(app.db).insertMany(
    each.map(({ integrationId: _id, workspaceId, name, slug }) => ({
      _id,
      organisationId,
      workspaceId,
      name,
      slug,
      aiProviderId: 'openai',
      models: each.map((model) => ({
        slug: model.slug,
        name: model.name,
        enabled: true,
        isCustom: true,
        isFinetune: false,
        baseModelSlug: null,
        configurations: {},
        pricingConfig: null,
      })),
      workspaces: each.map((entry) => ({ workspaceId: entry.workspaceId, enabled: true })),
    })),
  );
  // Those of the tenant's own workspace make a list, those of the others are what logs refer to.
  await providerModel(app.db).insertMany(
    each.flatMap(({ providerId, workspaceId, integrationId, name, slug }) => [
      { _id: providerId, organisationId, workspaceId, integrationId, name, slug },
      { _id: uuid(), organisationId, workspaceId: tenant.workspaceId, integrationId, name, slug },
    ]),
  );
  await deploymentModel(app.db).insertMany(
    each.map(({ name, slug }) => ({
      _id: uuid(),
      organisationId,
      name,
      slug,
      type: 'production',
      url: 'https://gateway.example',
      allowedWorkspaces: each.map(({ workspaceId }) => workspaceId),
      createdBy: 'somebody',
    })),
  );
  await configModel(app.db).insertMany(
    each.map(({ configId: _id, workspaceId, name, slug }) => ({
      _id,
      organisationId,
      workspaceId,
      name,
      slug,
      config: {},
      versionId: versionId(_id, size),
      ownerId: 'somebody',
      updatedBy: 'somebody',
    })),
  );
  await configVersionModel(app.db).insertMany(
    each.flatMap(({ configId, workspaceId, name }) =>
      each.map((_, index) => ({
        _id: versionId(configId, index + 1),
        organisationId,
        workspaceId,
        configId,
        number: index + 1,
        name,
        config: {},
        createdBy: 'somebody',
      })),
    ),
  );
  await apiKeyModel(app.db).insertMany(
    each.map(({ apiKeyId: _id, workspaceId, name }) => ({
      _id,
      organisationId,
      workspaceId,
      name,
      type: 'workspace-service',
      secretHash: uuid(),
      secretMask: '***',
      scopes: ['logs.list'],
    })),
  );
  await tenantModel(app.db).insertMany(
    each.flatMap(({ childTsgId, name }) => [
      { _id: childTsgId, organisationId: uuid(), ancestors: [tsgId], name },
      { _id: newTsgId(), organisationId: uuid(), ancestors: [tsgId, childTsgId], name: `Below ${name}` },
    ]),
  );
  await serviceAccountModel(app.db).insertMany(
    each.map(({ slug }) => ({
      _id: uuid(),
      tsgId,
      organisationId,
      name: slug,
      principal: `${slug}@${tsgId}.iam.sluice.local`,
      secretHash: uuid(),
    })),
  );
  await roleModel(app.db).insertMany(
    each.map(({ slug, name }) => ({
      _id: `${slug}:${tsgId}`,
      tsgId,
      organisationId,
      slug,
      name,
      permissions: ['logs.list'],
    })),
  );
  await accessPolicyModel(app.db).insertMany(
    each.map(({ slug, workspaceId }) => ({
      _id: uuid(),
      tsgId,
      organisationId,
      workspaceId,
      principal: `${slug}@example.com`,
      role: 'view_only_admin',
      resource: `prn:${tsgId}::::${slug}`,
    })),
  );
  await writeLogs(
    nativeDb(app.db),
    each.map(({ workspaceId, apiKeyId, providerId, integrationId, configId, slug }) => {
      const names = {
        ...{ apiKeyId, providerId, integrationId, configId, configSlug: slug, providerSlug: slug },
        traceId: `trace-${slug}`,
      };
      const { record, bodies } = logEntry({ organisationId, workspaceId }, names);
      return {
        record,
        bodies: bodies && {
          ...bodies,
          finalUntransformedRequest: bodies.request,
          transformedRequest: bodies.request,
          originalResponse: bodies.response,
        },
      };
    }),
  );
  await feedbackModel(app.db).insertMany(
    each.flatMap(({ workspaceId, apiKeyId, slug }) =>
      each.map((_, index) => ({
        _id: uuid(),
        organisationId,
        workspaceId,
        traceId: `trace-${slug}`,
        value: index,
        weight: 1,
        apiKeyId,
      })),
    ),
  );
  await logExportModel(app.db).insertMany(
    each.map(({ workspaceId, name }) => ({
      _id: uuid(),
      organisationId,
      workspaceId,
      filters: { pageSize: 10, currentPage: 0 },
      requestedData: ['id'],
      status: 'draft',
      description: name,
      total: 0,
      createdBy: 'somebody',
      expiresAt: new Date('2100-01-01T00:00:00Z'),
    })),
  );
  await auditLogModel(app.db).insertMany(
    each.map(() => ({
      _id: uuid(),
      organisationId,
      userId: 'somebody',
      userType: 'api_key',
      resourceType: 'config',
      action: 'create',
      outcome: 'success',
      responseStatusCode: 200,
      method: 'POST',
      uri: '/graphql',
      requestId: 'request',
      requestBody: '{}',
      queryParams: '',
      requestHeaders: '{}',
      clientIp: '127.0.0.1',
      userAgent: 'test',
      timestamp: new Date('2026-01-01T00:00:00Z'),
    })),
  );
  const [first] = each;
  if (!first) throw new Error('A tenant is filled with one item at least.');
  const { configId, integrationId, inviteId } = first;
  const token = await app.token(tenant);
  return { ...tenant, size, token, configId, integrationId, inviteId };
}
