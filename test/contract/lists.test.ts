import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { readRule } from '../../src/graph/rules/read-rule.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

const { schema } = createGraph(readSources(subgraphs));

const points = 'at most 401, one for each day: src/subgraphs/insights/analytics/window.ts';

/** Members of an export's filters, as they were given. */
const exportFilterLists = [
  'apiKeyIds',
  'statusClass',
  'endpoint',
  'cacheStatus',
  'userId',
  'source',
  'notStatusCode',
  'notAiOrgModel',
  'notConfigs',
  'notVirtualKeys',
  'notApiKeyIds',
  'notEndpoint',
  'notCacheStatus',
  'notUserId',
  'notSource',
];

/** Lists that are short because what is stored is, with the place that keeps it so. */
const storedBounds: Record<string, string> = {
  'VectorStoreSearchPage.searchQuery': 'a search names five texts at most',
  'VectorStoreSearchPage.data': 'max_num_results is fifty at most',
  'VectorStoreSearchResult.content': 'a chunk has one text',
  'VectorStoreFileContentPage.data': 'a file has five million tokens at most, and a part some megabytes',
  'OrganisationSettings.mcpForceApproval': 'at most 200: @constraint in schema/identity/organisation.graphql',
  'McpGrant.scopes': 'three at most: src/mcp/oauth/scopes.ts',
  'BatchErrors.data': 'at most 100: src/batches/input.ts',
  'ApiKey.scopes': 'at most 200: @constraint(maxItems) of the inputs in schema/identity/api-key.graphql',
  'IntegrationTest.models': 'at most 2000: src/subgraphs/catalog/integration-test/service.ts',
  'Query.providerKinds': 'those of the program: src/providers/index.ts',
  'ProviderKind.endpoints': 'those of the program: src/providers/endpoint.ts',
  'ProviderKind.settings': 'those of the program: src/providers/vendors',
  'ProviderSetting.options': 'those of the program: src/providers/vendors',
  'Integration.secretMappings':
    'at most 20: @constraint(maxItems) of the inputs in schema/catalog/integration.graphql',
  'Provider.secretMappings':
    'at most 20: @constraint(maxItems) of the inputs in schema/catalog/provider.graphql',
  'McpIntegration.secretMappings':
    'at most 20: @constraint(maxItems) of the inputs in schema/mcp/mcp-integration.graphql',
  'VirtualKey.secretMappings':
    'at most 20: @constraint(maxItems) of the inputs in schema/catalog/virtual-key.graphql',
  'Run.steps': 'three of each of 64 turns: src/runs/turn/take-turn.ts',
  'SecretReferenceTest.members': 'at most 100: src/subgraphs/catalog/secret-reference',
  'Query.scopeCatalogue': 'one of each: src/auth/scopes.ts',
  'Guardrail.checks': 'at most 50: @constraint(maxItems) of the inputs in schema/routing/guardrail.graphql',
  'GuardrailVersion.checks':
    'at most 50: @constraint(maxItems) of the inputs in schema/routing/guardrail.graphql',
  'Guardrail.usedBy': 'at most 100: src/subgraphs/routing/guardrail/uses.ts',
  'EffectiveGuardrails.targets': 'those of a config of 128 KiB: src/routing-config/schema.ts',
  'EffectiveGuardrails.broken':
    'at most 200: the defaults of a workspace and its organisation have lists of 50',
  'EffectiveGuardrails.exemptions': 'one for each phase: schema/routing/guardrail-exclusion.graphql',
  'GuardrailExemption.guardrailIds':
    'at most 50: @constraint(maxItems) in schema/routing/organisation-default.graphql',
  'TargetGuardrails.input': 'at most 250: three lists of a config, and those of two defaults, each of 50',
  'TargetGuardrails.output': 'at most 250: three lists of a config, and those of two defaults, each of 50',
  'EffectiveGuardrail.checks': 'at most 50: src/guardrails/definition.ts',
  'GuardrailCheckKind.phases': 'those of the program: src/guardrails/check.ts',
  'Query.guardrailChecks': 'those of the program: src/guardrails/checks/index.ts',
  'OrganisationDefaults.inputGuardrails':
    'at most 50: @constraint(maxItems) in schema/routing/organisation-default.graphql',
  'OrganisationDefaults.outputGuardrails':
    'at most 50: @constraint(maxItems) in schema/routing/organisation-default.graphql',
  'UsageLimitPolicy.conditions':
    'at most 50: @constraint(maxItems) in schema/routing/usage-limit-policy.graphql',
  'UsageLimitPolicy.groupBy':
    'at most 10: @constraint(maxItems) in schema/routing/usage-limit-policy.graphql',
  'RateLimitPolicy.conditions':
    'at most 50: @constraint(maxItems) in schema/routing/rate-limit-policy.graphql',
  'RateLimitPolicy.groupBy': 'at most 10: @constraint(maxItems) in schema/routing/rate-limit-policy.graphql',
  'ApiKey.rateLimits': 'at most 10: @constraint(maxItems) of the inputs in schema/identity/api-key.graphql',
  'Provider.rateLimits': 'at most 10: @constraint(maxItems) of the inputs in schema/catalog/provider.graphql',
  'VirtualKey.rateLimits':
    'at most 10: @constraint(maxItems) of the inputs in schema/catalog/virtual-key.graphql',
  'GlobalWorkspaceAccess.usageLimits':
    'at most 3: @constraint(maxItems) of the inputs in schema/catalog/integration.graphql',
  'GlobalWorkspaceAccess.rateLimits':
    'at most 10: @constraint(maxItems) of the inputs in schema/catalog/integration.graphql',
  'IntegrationWorkspace.usageLimits':
    'at most 3: @constraint(maxItems) of the inputs in schema/catalog/integration.graphql',
  'IntegrationWorkspace.rateLimits':
    'at most 10: @constraint(maxItems) of the inputs in schema/catalog/integration.graphql',
  'Organisation.usageLimits':
    'at most 3: @constraint(maxItems) of the inputs in schema/identity/organisation.graphql',
  'Organisation.rateLimits':
    'at most 10: @constraint(maxItems) of the inputs in schema/identity/organisation.graphql',
  'Workspace.effectiveSwitches': 'one of each: src/auth/switches/table.ts',
  'Workspace.usageLimits':
    'at most 3: @constraint(maxItems) of the inputs in schema/identity/workspace.graphql',
  'Workspace.rateLimits':
    'at most 10: @constraint(maxItems) of the inputs in schema/identity/workspace.graphql',
  'Query.scopePresets': 'one for each purpose of a key: src/auth/labels.ts',
  'KeyScope.heldBy': 'one for each type of key: src/auth/scopes.ts',
  'ScopePreset.scopes': 'one of each: src/auth/scopes.ts',
  'ApiKey.alertEmails': 'at most 20: @constraint(maxItems) of the inputs in schema/identity/api-key.graphql',
  'Log.routing': 'at most 100: src/dataplane/strategy/note-step.ts',
  'Log.costLines': 'one for each class of units: src/recording/pricing/units.ts',
  'RunStep.logIds': 'at most 1000: src/subgraphs/assistants/run-step/logs.ts',
  'LogBatch.data': 'at most maxPerSecond, which is 1000: schema/insights/log.graphql',
  'LogArrivals.data': 'at most limit, which is 100: schema/insights/log.graphql',
  'AuditLog.changes': 'one for each member of a document: src/graph/rules/audit-changes.ts',
  'AuditLogFacets.resourceTypes': 'at most 200: src/subgraphs/insights/audit-log/facets.ts',
  'AuditLogFacets.actions': 'at most 200: src/subgraphs/insights/audit-log/facets.ts',
  'AuditChain.breaks': 'at most 1000: src/subgraphs/insights/audit-log',
  'Analytics.metadataKeys': 'at most 1000: src/subgraphs/insights/analytics/collect.ts',
  'AnalyticsGroup.dataPoints': points,
  'OrganisationSettings.overridableSwitches': 'one of each: src/auth/switches/table.ts',
  'Installation.features': 'those of the program: src/subgraphs/identity/installation',
  'Installation.subgraphs': 'those of the settings: src/settings/graph/remote-subgraphs.ts',
  'Bundle.documents': 'at most 20,000 of a kind in a workspace: src/subgraphs/identity/bundle/stored.ts',
  'Bundle.leftOut': 'one for each kind: schema/identity/bundle.graphql',
  'BundleChange.members': 'one for each member of a document: src/subgraphs/identity/bundle/plan.ts',
  'BundlePlan.changes': 'at most 5000 documents: @constraint(maxItems) in schema/identity/bundle.graphql',
  'BundleApplication.applied': 'at most limit, which is 1000: schema/identity/bundle.graphql',
  'BundleApplication.credentials': 'one for each that was applied',
  'Member.scopes': 'those of a built-in role: src/auth/roles.ts',
  'Viewer.permissions': 'one of each: src/auth/scopes.ts and src/auth/roles.ts',
  'Invite.workspaces': 'at most 100: @constraint(maxItems) in schema/identity/invite.graphql',
  'FeedbackResult.feedback':
    'as many as the input: @constraint(maxItems) in schema/insights/feedback.graphql',
  'FeedbackResult.feedbackIds':
    'as many as the input: @constraint(maxItems) in schema/insights/feedback.graphql',
  ...Object.fromEntries(
    exportFilterLists.map((name) => [
      `LogExportFilters.${name}`,
      'at most 100: @constraint(maxItems) of the input in schema/insights/log-export.graphql',
    ]),
  ),
  'LogExport.requestedData': 'one of each: @constraint(maxItems) in schema/insights/log-export.graphql',
  'LogExportFieldRestrictions.deniedFields':
    'one of each: @constraint(maxItems) of the settings that name them',
  'OrganisationSettings.deniedExportFields':
    'at most 20: @constraint(maxItems) in schema/identity/organisation.graphql',
  'WorkspaceSettings.deniedExportFields':
    'at most 20: @constraint(maxItems) in schema/identity/workspace.graphql',
  'ModelPricing.longInput': 'one for each size of input at which the catalogue changes a price',
  'ModelConfiguration.params':
    'one for each parameter of an endpoint: src/subgraphs/catalog/model-pricing/configuration.ts',
  'ModelParameter.options':
    'one for each value of a parameter: src/subgraphs/catalog/model-pricing/configuration.ts',
  'ModelKinds.supported': 'one for each kind of model',
  'ModelMessages.options': 'one for each role of a message',
  'Config.circuits': 'at most 100: src/subgraphs/routing/config/circuits.ts',
  'Config.usedBy': 'at most 100: src/subgraphs/routing/config/uses.ts',
  'ConfigValidation.problems': 'those of a config of 128 KiB: src/routing-config/schema.ts',
  'ConfigSimulation.targets': 'those of a config of 128 KiB: src/routing-config/schema.ts',
  'SimulatedTarget.reasons': 'one for each level of a config, which has at most 64',
  'AcceptedInvite.apiKeys': 'at most one for each workspace of the invite',
  // Worked out, so that their number is that of the points in time, statuses, scores, models or retries.
  'CountGraph.dataPoints': points,
  'CostGraph.dataPoints': points,
  'LatencyGraph.dataPoints': points,
  'TokensGraph.dataPoints': points,
  'UserRequestsGraph.dataPoints': points,
  'ErrorRateGraph.dataPoints': points,
  'ErrorStacksGraph.dataPoints': points,
  'RescuedRequestsGraph.dataPoints': points,
  'CacheHitRateGraph.dataPoints': points,
  'CacheLatencyGraph.dataPoints': points,
  'WeightedFeedbackGraph.dataPoints': points,
  'StatusCodesGraph.dataPoints': 'one for each of the 900 statuses of HTTP at most',
  'ErrorStackPoint.stats': 'one for each of the 900 statuses of HTTP at most',
  'RescuedPoint.retry': 'one for each number of retries, of which a config allows 5',
  'FeedbackScoresGraph.dataPoints': 'one for each whole number from -10 to 10',
  'FeedbackByModelGraph.dataPoints':
    'at most one for each of the 50,000 that src/subgraphs/insights/analytics/feedback.ts looks at',
  'Log.limits': 'at most 100: src/recording/log/limits.ts',
  'WebhookEndpoint.events': 'one of each: schema/insights/webhook-endpoint.graphql',
  'Role.permissions': 'at most 200: @constraint(maxItems) of the inputs in schema/identity/role.graphql',
};

type Field = GraphQLField<unknown, unknown>;
type Place = { coordinate: string; type: GraphQLObjectType; field: Field };

const places: Place[] = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type) && !type.name.startsWith('__')
    ? Object.values(type.getFields()).map((field) => ({
        coordinate: `${type.name}.${field.name}`,
        type,
        field,
      }))
    : [],
);
const lists = places.filter(({ field }) => isListType(getNullableType(field.type)));

const maximumOf = (argument: GraphQLArgument | undefined): number | undefined =>
  argument && readRule(schema, 'constraint', argument)?.max;

/** A field that says with `pageSize` or `limit` how much it answers, and has a maximum of it. */
const isMeasured = ({ args }: Field): boolean =>
  args.some(
    (argument) => ['pageSize', 'limit'].includes(argument.name) && (maximumOf(argument) ?? 2001) <= 2000,
  );

/** The fields that answer a type; a list in it is as long as they allow. */
const answering = (type: GraphQLObjectType) =>
  places.filter(({ field }) => getNamedType(field.type) === type && !isListType(getNullableType(field.type)));

const isPart = (type: GraphQLObjectType): boolean =>
  /Page$/.test(type.name) &&
  answering(type).length > 0 &&
  answering(type).every(({ field }) => isMeasured(field));

const paged = places.filter(({ field }) => field.args.some(({ name }) => name === 'currentPage'));
const walked = places.filter(({ field }) => field.args.some(({ name }) => name === 'after'));

/** What pages say beyond the others: of groups, what none of them shows; and what REST answers of MCP have. */
const sayingMore: Record<string, string> = {
  'Analytics.groups': ' other',
  'Query.mcpIntegrations': ' hasMore',
  'Query.mcpServerConnections': ' hasMore',
};

/** A tail, whose places are moments between logs, and a walk along the audit chain, which answers what it found. */
const walkedOtherwise = new Set(['Query.logArrivals', 'Query.auditChain']);

describe('every list of the graph', () => {
  it('is bounded: part of a page, measured by an argument, or short as stored', () => {
    const endless = lists.filter(
      ({ coordinate, type, field }) => !isMeasured(field) && !isPart(type) && !(coordinate in storedBounds),
    );
    expect(endless.map(({ coordinate }) => coordinate)).toEqual([]);
  });

  it('has a stored bound only where it needs one', () => {
    const known = lists.filter(({ field }) => !isMeasured(field)).map(({ coordinate }) => coordinate);
    expect(Object.keys(storedBounds).filter((coordinate) => !known.includes(coordinate))).toEqual([]);
  });

  it('that is paged answers {object, total, data}, and one that is walked {object, data, firstId, lastId, hasMore}', () => {
    const shapeOf = ({ field }: Place) =>
      Object.keys((getNamedType(field.type) as GraphQLObjectType).getFields()).join(' ');
    expect(paged.length).toBeGreaterThan(0);
    expect(walked.length).toBeGreaterThan(0);
    for (const place of paged) {
      // The trail's REST answer calls its data records.
      const data = place.coordinate === 'Query.auditLogs' ? 'records' : 'data';
      const more = sayingMore[place.coordinate] ?? '';
      expect(`${place.coordinate}: ${shapeOf(place)}`).toBe(
        `${place.coordinate}: object total ${data}${more}`,
      );
    }
    for (const place of walked) {
      if (walkedOtherwise.has(place.coordinate)) continue;
      expect(`${place.coordinate}: ${shapeOf(place)}`).toBe(
        `${place.coordinate}: object data firstId lastId hasMore`,
      );
      const limit = place.field.args.find(({ name }) => name === 'limit');
      expect([limit?.defaultValue, maximumOf(limit)]).toEqual([20, 100]);
      expect(place.field.args.find(({ name }) => name === 'order')?.defaultValue).toBe('desc');
    }
  });
});

describe('a page far down', () => {
  let app: TestApp;
  let token: string;
  let config: string;
  let guardrail: string;
  let hook: string;
  let assistant: string;
  let policy: string;
  let mcpServer: string;
  beforeAll(async () => {
    app = await startApp();
    token = await app.token();
    const made = await app.graphql(
      'mutation ($config: GatewayConfig!) { createConfig(input: { name: "c", config: $config }) { id } }',
      { config: { retry: { attempts: 1 } } },
      app.workspaceKey,
    );
    config = made.data.createConfig.id;
    const rail = await app.graphql(
      'mutation { createGuardrail(input: { name: "g", checks: [{ id: "default.wordCount" }] }) { id } }',
      {},
      app.workspaceKey,
    );
    guardrail = rail.data.createGuardrail.id;
    const endpoint = await app.graphql(
      `mutation { createWebhookEndpoint(input: { name: "h", url: "https://example.com/", events: [limit_reset] }) {
        endpoint { id } } }`,
    );
    const budget = await app.graphql(
      `mutation ($any: JSON!) { createUsageLimitPolicy(input: { type: requests, creditLimit: 1,
        conditions: [{ key: "model", value: $any }], groupBy: [{ key: "model" }] }) { id } }`,
      { any: '*' },
      app.workspaceKey,
    );
    policy = budget.data.createUsageLimitPolicy.id;
    const asked = await app.rest('POST', '/v1/assistants', { body: { model: 'm' } });
    assistant = (asked.body as { id: string }).id;
    const integration = await app.graphql(
      'mutation { createMcpIntegration(input: { name: "m", url: "mock://server", authType: none, transport: http }) { id } }',
    );
    const server = await app.graphql(
      `mutation ($input: CreateMcpServerInput!) { createMcpServer(input: $input) { id } }`,
      { input: { name: 'm', mcpIntegrationId: integration.data.createMcpIntegration.id } },
      app.workspaceKey,
    );
    mcpServer = server.data.createMcpServer.id;
    hook = endpoint.data.createWebhookEndpoint.endpoint.id;
  });
  afterAll(() => app.stop());

  const time = 'timeOfGenerationMin: "2026-01-01T00:00:00Z", timeOfGenerationMax: "2026-02-01T00:00:00Z"';

  /** Values of the arguments that a list insists on. */
  const required = (coordinate: string): string =>
    ({
      'Query.auditLogs': ', startTime: "2026-01-01T00:00:00Z", endTime: "2027-01-01T00:00:00Z"',
      'Query.logGroups': `, by: model, ${time}`,
      'Analytics.groups': ', by: model',
      'Analytics.groupRows': ', by: model',
      'Analytics.metadataGroups': ', key: "team"',
      'Query.assistantVersions': `, assistantId: "${assistant}"`,
      'Query.members': `, workspaceId: "${app.workspaceId}"`,
      'Query.configVersions': `, configId: "${config}"`,
      'Query.guardrailVersions': `, guardrailId: "${guardrail}"`,
      'Query.guardrailExclusions': ', phase: input',
      'Query.providers': `, workspaceId: "${app.workspaceId}"`,
      'Query.limitCounters': ', limitId: "policy:none"',
      'Query.limitHistory': ', limitId: "policy:none"',
      'Query.usageLimitPolicyEntities': `, policyId: "${policy}"`,
      'Query.webhookDeliveries': `, endpointId: "${hook}"`,
      'Query.availableModels': `, workspaceId: "${app.workspaceId}"`,
      'Query.mcpServerConnections': `, id: "${mcpServer}"`,
      'Query.virtualKeys': `, workspaceId: "${app.workspaceId}"`,
    })[coordinate] ?? '';

  it.each(paged.map(({ coordinate, field }) => [coordinate, field.name]))(
    'of %s is refused, pointing at another way, and the last one allowed is answered',
    async (coordinate, name) => {
      const ask = (currentPage: number) => {
        const list = `${name}(pageSize: 100, currentPage: ${currentPage}${required(coordinate)}) { total }`;
        const isRoot = coordinate.startsWith('Query.');
        return app.graphql(isRoot ? `{ ${list} }` : `{ analytics(${time}) { ${list} } }`, {}, token);
      };
      const last = await ask(100);
      expect(last.errors ?? []).toEqual([]);
      const { errors } = await ask(101);
      expect(errors?.[0]).toMatchObject({
        message: expect.stringMatching(name === 'logs' ? /logHistory/ : /filters/),
        extensions: { code: 'VALIDATION_FAILED', param: 'currentPage' },
      });
    },
  );
});
