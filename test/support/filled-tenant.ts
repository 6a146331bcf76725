import { circuitId, circuitModel } from '../../src/dataplane/strategy/breaker/index.ts';
import { tsgId as newTsgId, uuid } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { limitAlarmModel } from '../../src/limits/alarms/index.ts';
import { limitCounterModel } from '../../src/limits/engine/index.ts';
import { mailModel } from '../../src/mail/index.ts';
import { encodeCounted, encodeRefusal } from '../../src/recording/log/limits.ts';
import { encodeRouting, encodeStep } from '../../src/recording/log/routing.ts';
import { logEvents } from '../../src/recording/log/write-logs.ts';
import { createLogWriter } from '../../src/recording/log/writer.ts';
import { encodeCostLines } from '../../src/recording/pricing/cost-lines.ts';
import { timeOrderedId } from '../../src/runs/ids.ts';
import { createEventWriter, eventsIn } from '../../src/storage/events/index.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { deploymentModel } from '../../src/subgraphs/catalog/deployment/model.ts';
import { integrationModel } from '../../src/subgraphs/catalog/integration/index.ts';
import { providerModel } from '../../src/subgraphs/catalog/provider/index.ts';
import { secretReferenceModel } from '../../src/subgraphs/catalog/secret-reference/model.ts';
import { accessPolicyModel } from '../../src/subgraphs/identity/access-policy/index.ts';
import { apiKeyModel } from '../../src/subgraphs/identity/api-key/index.ts';
import { inviteModel } from '../../src/subgraphs/identity/invite/index.ts';
import { memberModel } from '../../src/subgraphs/identity/member/index.ts';
import { organisationModel } from '../../src/subgraphs/identity/organisation/index.ts';
import { roleModel } from '../../src/subgraphs/identity/role/index.ts';
import { groupMembershipModel, scimGroupModel } from '../../src/subgraphs/identity/scim-group/index.ts';
import { scimMappingModel } from '../../src/subgraphs/identity/scim-mapping/index.ts';
import { serviceAccountModel } from '../../src/subgraphs/identity/service-account/index.ts';
import { signInModel } from '../../src/subgraphs/identity/sign-in/index.ts';
import { signInLinkModel } from '../../src/subgraphs/identity/sign-in-link/index.ts';
import { tenantModel } from '../../src/subgraphs/identity/tenant/index.ts';
import { userModel } from '../../src/subgraphs/identity/user/index.ts';
import { workspaceModel } from '../../src/subgraphs/identity/workspace/index.ts';
import { auditLogModel } from '../../src/subgraphs/insights/audit-log/index.ts';
import { feedbackModel } from '../../src/subgraphs/insights/feedback/index.ts';
import { logExportModel } from '../../src/subgraphs/insights/log-export/index.ts';
import { savedViewModel } from '../../src/subgraphs/insights/saved-view/index.ts';
import { configModel, configVersionModel } from '../../src/subgraphs/routing/config/index.ts';
import { guardrailModel, guardrailVersionModel } from '../../src/subgraphs/routing/guardrail/index.ts';
import { guardrailExclusionModel } from '../../src/subgraphs/routing/guardrail-exclusion/index.ts';
import { rateLimitPolicyModel } from '../../src/subgraphs/routing/rate-limit-policy/index.ts';
import { usageLimitPolicyModel } from '../../src/subgraphs/routing/usage-limit-policy/index.ts';
import { webhookDeliveryModel, webhookEndpointModel } from '../../src/webhooks/index.ts';
import type { Tenant, TestApp } from './app.ts';
import { fillMcp } from './filled-mcp.ts';
import { fillThreads } from './filled-threads.ts';
import { logEntry } from './logs.ts';

/** A tenant with as many items in each list as `size` says, no two of which share what they refer to. */
export type FilledTenant = Tenant & {
  size: number;
  /** An access token that may see everything there. */
  token: string;
  apiKeyId: string;
  providerId: string;
  configId: string;
  guardrailId: string;
  organisationGuardrailId: string;
  usagePolicyId: string;
  ratePolicyId: string;
  integrationId: string;
  inviteId: string;
  mcpIntegrationId: string;
  mcpServerId: string;
  webhookEndpointId: string;
  assistantId: string;
  threadId: string;
  runId: string;
  fileId: string;
  vectorStoreId: string;
  fileBatchId: string;
  batchId: string;
};

const budget = {
  ...{ type: 'tokens' as const, creditLimit: 1e9, alertThreshold: null, version: 1, lastResetAt: null },
  ...{ periodicReset: null, periodicResetDays: null, nextUsageResetAt: null },
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
    secretReferenceId: uuid(),
    providerId: uuid(),
    configId: uuid(),
    organisationGuardrailId: uuid(),
    guardrailId: uuid(),
    apiKeyId: uuid(),
    childTsgId: newTsgId(),
    userId: uuid(),
    inviteId: uuid(),
    webhookEndpointId: uuid(),
    usagePolicyId: uuid(),
    ratePolicyId: uuid(),
  }));

  // More than anybody may set: lists are read in one go, however long they are.
  const since = new Date('2026-01-01T00:00:00Z');
  const limits = {
    usageLimits: each.map(() => ({ ...budget, since })),
    rateLimits: each.map(() => ({
      type: 'requests' as const,
      unit: 'rpm' as const,
      value: 1e6,
      since,
      version: 1,
    })),
  };
  await workspaceModel(app.db).insertMany(
    each.map(({ workspaceId: _id, name, slug }) => ({ _id, organisationId, name, slug, ...limits })),
  );
  await workspaceModel(app.db).updateOne({ _id: tenant.workspaceId }, limits);
  await organisationModel(app.db).updateOne({ _id: organisationId }, limits);
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
  const groups = each.map(({ name, slug }) => ({ _id: uuid(), organisationId, name, nameKey: slug }));
  await scimGroupModel(app.db).insertMany(groups);
  await groupMembershipModel(app.db).insertMany(
    groups.flatMap(({ _id: groupId }) =>
      each.map(({ userId }) => ({ _id: uuid(), organisationId, groupId, userId })),
    ),
  );
  // Every group has every workspace; the newest mappings are of groups and workspaces that all differ.
  await scimMappingModel(app.db).insertMany(
    each.flatMap((_, shift) =>
      groups.map(({ _id: groupId }, index) => ({
        _id: uuid(),
        organisationId,
        workspaceId: each[(index + shift) % size]?.workspaceId,
        groupId,
        role: 'member',
      })),
    ),
  );
  await inviteModel(app.db).insertMany(
    each.map(({ inviteId: _id, slug, userId }) => ({
      _id,
      organisationId,
      email: `new-${slug}@example.com`,
      role: 'member',
      workspaces: each.map(({ workspaceId }) => ({ workspaceId, role: 'member' })),
      invitedBy: userId,
      expiresAt: new Date('2100-01-01T00:00:00Z'),
    })),
  );
  await secretReferenceModel(app.db).insertMany(
    each.map(({ secretReferenceId: _id, name, slug }) => ({
      _id,
      organisationId,
      name,
      slug,
      managerType: 'hashicorp_vault',
      auth: { vault_auth_type: 'kubernetes', vault_addr: 'https://vault.example', vault_role: slug },
      secretPath: `secret/${slug}`,
      allowedWorkspaces: each.map(({ workspaceId }) => workspaceId),
      createdBy: 'somebody',
    })),
  );
  const inAWeek = new Date(Date.now() + 604_800_000);
  await signInModel(app.db).insertMany(
    each.map(({ userId, slug }) => ({
      _id: uuid(),
      organisationId,
      kind: 'user',
      principalId: userId,
      userId,
      name: `${slug}@example.com`,
      method: 'link',
      holder: { kind: 'user', userId },
      secretHash: uuid(),
      lastSeenAt: new Date(),
      endsAt: inAWeek,
      expiresAt: inAWeek,
    })),
  );
  await signInLinkModel(app.db).insertMany(
    each.map(({ userId }) => ({
      _id: uuid(),
      organisationId,
      userId,
      secretHash: uuid(),
      expiresAt: inAWeek,
    })),
  );
  const secretMappings = each.map(({ secretReferenceId }) => ({ targetField: 'key', secretReferenceId }));
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
      workspaces: each.map((entry) => ({ workspaceId: entry.workspaceId, enabled: true, ...limits })),
      globalWorkspaceAccess: { enabled: true, ...limits },
      secretMappings,
    })),
  );
  // Those of the tenant's own workspace make a list, those of the others are what logs refer to.
  await providerModel(app.db).insertMany(
    each.flatMap(({ providerId, workspaceId, integrationId, name, slug }) => {
      const members = { organisationId, integrationId, name, slug, secretMappings, ...limits };
      return [
        { _id: providerId, workspaceId, ...members },
        { _id: uuid(), workspaceId: tenant.workspaceId, ...members },
      ];
    }),
  );
  await deploymentModel(app.db).insertMany(
    each.map(({ name, slug, userId }) => ({
      _id: uuid(),
      organisationId,
      name,
      slug,
      type: 'production',
      url: 'https://gateway.example',
      allowedWorkspaces: each.map(({ workspaceId }) => workspaceId),
      createdBy: userId,
    })),
  );
  // What the requests of the tenant's own workspace may ask for; older than the others, which lists show first.
  const old = { createdAt: new Date('2020-01-01T00:00:00Z') };
  const usable = { name: 'Usable', slug: 'usable', ...old };
  const usableId = uuid();
  await integrationModel(app.db).create({
    _id: usableId,
    organisationId,
    ...usable,
    aiProviderId: 'openai',
    allowAllModels: false,
    models: each.map(({ name, slug }) => ({ slug, name, enabled: true, isCustom: true, configurations: {} })),
  });
  await providerModel(app.db).create({
    _id: uuid(),
    organisationId,
    workspaceId: tenant.workspaceId,
    integrationId: usableId,
    ...usable,
  });
  await configModel(app.db).insertMany(
    each.map(({ configId: _id, workspaceId, name, slug, userId }) => ({
      _id,
      organisationId,
      workspaceId,
      name,
      slug,
      config: { retry: { attempts: 1 } },
      // Every config names every guardrail.
      inputGuardrailIds: each.flatMap(({ guardrailId, organisationGuardrailId }) => [
        guardrailId,
        organisationGuardrailId,
      ]),
      versionId: versionId(_id, size),
      ownerId: userId,
      updatedBy: 'somebody',
    })),
  );
  const checks = each.map(() => ({ id: 'default.wordCount', parameters: {}, is_enabled: true }));
  const feedback = { value: 1, weight: 1, metadata: {} };
  const actions = {
    ...{ deny: false, async: false, sequential: false, soft_deny_200: false },
    ...{ on_success: { feedback }, on_fail: { feedback } },
  };
  const content = { checks, actions };
  // Those of the organisation are older: lists show the others first.
  const ages = { common: new Date('2020-01-01T00:00:00Z'), own: new Date('2026-01-01T00:00:00Z') };
  const guardrails = each.flatMap(
    ({ guardrailId, organisationGuardrailId, workspaceId, name, slug, userId }) =>
      [
        { _id: guardrailId, workspaceId, name, slug, createdAt: ages.own },
        {
          ...{ _id: organisationGuardrailId, workspaceId: null, createdAt: ages.common },
          ...{ name: `Common ${name}`, slug: `common-${slug}` },
        },
      ].map((each) => ({
        ...{ ...each, organisationId, ...content, versionId: versionId(each._id, size) },
        ...{ ownerId: userId, updatedBy: 'somebody' },
      })),
  );
  await guardrailModel(app.db).insertMany(guardrails);
  await guardrailVersionModel(app.db).insertMany(
    guardrails.flatMap(({ _id: guardrailId, workspaceId, name }) =>
      each.map((_, index) => ({
        ...{ _id: versionId(guardrailId, index + 1), organisationId, workspaceId, guardrailId, name },
        ...{ number: index + 1, ...content, createdBy: 'somebody' },
      })),
    ),
  );
  const common = each.map(({ organisationGuardrailId }) => organisationGuardrailId);
  await organisationModel(app.db).updateOne(
    { _id: organisationId },
    { 'settings.defaultGuardrails': { input: common, output: common } },
  );
  await guardrailExclusionModel(app.db).insertMany(
    each.flatMap(({ workspaceId }) =>
      (['input', 'output'] as const).map((phase) => ({
        ...{ _id: uuid(), organisationId, workspaceId, phase, excludedBy: 'somebody' },
      })),
    ),
  );
  // Policies have as many conditions and groups as there are of everything.
  const facts = {
    conditions: each.map((_, index) => ({ key: `metadata.k${index}`, value: '*' })),
    groupBy: each.map((_, index) => ({ key: `metadata.k${index}` })),
  };
  await usageLimitPolicyModel(app.db).insertMany(
    each.map(({ usagePolicyId: _id, workspaceId, name }) => ({
      ...{ _id, organisationId, workspaceId, name, ...facts },
      type: 'tokens' as const,
      creditLimit: 1e9,
    })),
  );
  await limitCounterModel(app.db).insertMany(
    // Of each policy the values in a period that does not end, and one value in several that overlap.
    each.flatMap(({ usagePolicyId, workspaceId }) =>
      each
        .flatMap(({ slug }, index) => [
          { place: `f:${slug}`, valueKey: slug, from: null, until: null },
          { place: `${index}:whole`, valueKey: '', from: index * 1000, until: Date.now() + 86_400_000 },
        ])
        .map(({ place, ...period }) => ({
          _id: `policy:${usagePolicyId}:${place}`,
          ...{ organisationId, workspaceId, limitId: `policy:${usagePolicyId}` },
          ...{ ver: 1, values: {}, unit: 'tokens', ...period, seconds: null },
          ...{ cap: 1e9, room: 1e9 - 1, fill: 1, at: 0, fullAt: 0, gen: 0 },
          ...{ uncertain: 0, overshoot: 0, unpriced: 0, expiresAt: null },
          samples: { 0: { at: Date.now() - 3_600_000, fill: 0, gen: 0 } },
          L: Object.fromEntries(
            each.map(({ slug: lease }) => [lease, { s: 1, g: 0, u: 0, h: 0, t: new Date() }]),
          ),
        })),
    ),
  );
  await rateLimitPolicyModel(app.db).insertMany(
    each.map(({ ratePolicyId: _id, workspaceId, name }) => ({
      ...{ _id, organisationId, workspaceId, name, ...facts },
      ...{ type: 'requests' as const, unit: 'rpm' as const, value: 1e6, target: 'llm' as const },
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
        config: { retry: { attempts: 1 } },
        createdBy: 'somebody',
      })),
    ),
  );
  await apiKeyModel(app.db).insertMany(
    each.map(({ apiKeyId: _id, workspaceId, userId, name }) => ({
      _id,
      organisationId,
      workspaceId,
      userId,
      name,
      type: 'workspace-user',
      rotationPolicy: {
        rotationPeriodDays: 365,
        nextRotationAt: new Date('2100-01-01T00:00:00Z'),
        keyTransitionPeriodMs: 1_800_000,
        beginsAt: new Date('2100-01-01T00:00:00Z'),
      },
      secretHash: uuid(),
      secretMask: '***',
      scopes: ['logs.list'],
      ...limits,
    })),
  );
  // Each config is the default of some keys of its workspace, and has a circuit breaker for each of its targets.
  await apiKeyModel(app.db).insertMany(
    each.flatMap(({ workspaceId, configId, name }) =>
      each.map(() => ({
        _id: uuid(),
        organisationId,
        workspaceId,
        name: `Caller of ${name}`,
        type: 'workspace-service',
        secretHash: uuid(),
        secretMask: '***',
        scopes: ['completions.write'],
        defaults: { config_id: configId },
        // Older than the keys above, which lists show first.
        createdAt: new Date('2020-01-01T00:00:00Z'),
      })),
    ),
  );
  await circuitModel(app.db).insertMany(
    each.flatMap(({ configId }) =>
      each.map((_, index) => ({
        _id: circuitId(configId, `config.targets[${index}]`, 'digest'),
        organisationId,
        failures: 1,
        successes: 0,
        since: Date.now(),
        openUntil: 0,
        expiresAt: new Date('2100-01-01T00:00:00Z'),
      })),
    ),
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
  const explained = {
    refusal: encodeRefusal({
      code: 'usage_limit_reached',
      limit: {
        id: 'policy',
        level: 'policy',
        name: 'p',
        unit: 'requests',
        value: 1,
        used: 1,
        held: 0,
        needed: 1,
      },
    }),
    limits: encodeCounted(each.map(({ slug }) => [`policy:${slug}`, 'requests', 1])),
    costNanodollars: each.length,
    costLines: encodeCostLines(
      'catalogue',
      each.map(({ slug }) => ({ unit: slug, quantity: 1, price: 1e-7, nanodollars: 1 })),
    ),
    routing: encodeRouting(each.map((_, index) => encodeStep(`config.targets[${index}]`, 'weight', 1))),
  };
  const runIds = each.map(() => timeOrderedId('run'));
  const entries = each.map(
    ({ workspaceId, apiKeyId, userId, providerId, integrationId, configId, slug }, index) => {
      const names = {
        ...{ apiKeyId, userId, providerId, integrationId, configId, configSlug: slug, providerSlug: slug },
        traceId: `trace-${slug}`,
        metadata: { _user: 'ann', _run: runIds[index] ?? '' },
      };
      const { record, bodies } = logEntry({ organisationId, workspaceId }, { ...names, ...explained });
      return {
        record,
        bodies: bodies && {
          ...bodies,
          finalUntransformedRequest: bodies.request,
          transformedRequest: bodies.request,
          originalResponse: bodies.response,
        },
      };
    },
  );
  const log = createLogger('silent');
  const writer = createLogWriter({ database: async () => nativeDb(app.db), log });
  await writer.write(entries);
  await writer.stop();
  const batches = async () => eventsIn(nativeDb(app.db));
  const events = createEventWriter({ batches, onAppended() {}, log });
  for (const event of logEvents(entries)) events.append(event);
  await events.stop();
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
  await savedViewModel(app.db).insertMany(
    each.map(({ workspaceId, name, userId }) => ({
      _id: uuid(),
      organisationId,
      workspaceId,
      ...{ page: 'logs', name, query: 'status:5xx', shared: true, createdBy: userId },
    })),
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
  await mailModel(app.db).insertMany(
    each.map(({ slug }) => ({
      _id: uuid(),
      organisationId,
      event: uuid(),
      kind: 'invite',
      to: `${slug}@example.com`,
      subject: 'Mail',
      text: 'Mail',
      status: 'kept',
      createdAt: new Date('2026-01-01T00:00:00Z'),
      expiresAt: new Date('2100-01-01T00:00:00Z'),
    })),
  );
  // Switched off, so that nothing is sent.
  await webhookEndpointModel(app.db).insertMany(
    each.map(({ webhookEndpointId: _id, name }) => ({
      _id,
      organisationId,
      name,
      url: 'http://127.0.0.1:8/',
      events: ['limit_reset', 'limit_exhausted'],
      enabled: false,
      sealed: 'sealed',
      createdBy: 'somebody',
    })),
  );
  await limitAlarmModel(app.db).insertMany(
    each.map(({ workspaceId, name }) => ({
      _id: uuid(),
      organisationId,
      workspaceId,
      kind: 'limit_exhausted',
      limitId: `workspace:${workspaceId}`,
      counterId: uuid(),
      level: 'workspace',
      limitName: name,
      unit: 'cost',
      used: 1,
      amount: 1,
      isTold: true,
      createdAt: new Date('2026-01-01T00:00:00Z'),
      expiresAt: new Date('2100-01-01T00:00:00Z'),
    })),
  );
  await webhookDeliveryModel(app.db).insertMany(
    each.flatMap(({ webhookEndpointId: endpointId }) =>
      each.map(() => ({
        _id: uuid(),
        organisationId,
        endpointId,
        event: 'test',
        key: uuid(),
        payload: '{}',
        status: 'failed',
        createdAt: new Date('2026-01-01T00:00:00Z'),
        expiresAt: new Date('2100-01-01T00:00:00Z'),
      })),
    ),
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
      changes: each.map(({ slug }) => ({ member: slug, before: null, after: slug })),
      userAgent: 'test',
      timestamp: new Date('2026-01-01T00:00:00Z'),
    })),
  );
  const [first] = each;
  if (!first) throw new Error('A tenant is filled with one item at least.');
  const {
    apiKeyId,
    providerId,
    configId,
    guardrailId,
    organisationGuardrailId,
    integrationId,
    inviteId,
    usagePolicyId,
    ratePolicyId,
    webhookEndpointId,
  } = first;
  const token = await app.token(tenant);
  const ids = {
    apiKeyId,
    providerId,
    configId,
    guardrailId,
    organisationGuardrailId,
    integrationId,
    inviteId,
    usagePolicyId,
    ratePolicyId,
    webhookEndpointId,
  };
  const filled = {
    ...(await fillThreads(app, tenant, runIds)),
    ...(await fillMcp(app, organisationId, each)),
  };
  return { ...tenant, size, token, ...ids, ...filled };
}
