import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { readOperations } from '../../rest-compat/compile/operation.ts';
import { operationFiles } from '../../rest-compat/index.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { type CountedApp, startCountedApp } from '../support/counted-app.ts';
import { type FilledTenant, fillTenant } from '../support/filled-tenant.ts';
import { rounds } from '../support/long.ts';
import { listQueries, listsBelow, listsOf } from './list-queries.ts';

const { schema } = createGraph(readSources(subgraphs));

/** Arguments that lists insist on; `<name>` is a member of the tenant. */
const required = {
  'Query.auditLogs.startTime': '"2025-01-01T00:00:00Z"',
  'Query.auditLogs.endTime': '"2027-01-01T00:00:00Z"',
  'Query.members.workspaceId': '"<workspaceId>"',
  'Query.assistantVersions.assistantId': '"<assistantId>"',
  'Query.runs.threadId': '"<threadId>"',
  'Query.runSteps.threadId': '"<threadId>"',
  'Query.runSteps.runId': '"<runId>"',
  'Query.threadMessages.threadId': '"<threadId>"',
  'Query.vectorStoreFiles.vectorStoreId': '"<vectorStoreId>"',
  'Query.vectorStoreFileBatchFiles.vectorStoreId': '"<vectorStoreId>"',
  'Query.vectorStoreFileBatchFiles.batchId': '"<fileBatchId>"',
  'Query.configVersions.configId': '"<configId>"',
  'Query.guardrailVersions.guardrailId': '"<guardrailId>"',
  'Query.guardrailExclusions.phase': 'input',
  'Query.mcpIntegrationCapabilities.id': '"<mcpIntegrationId>"',
  'Query.mcpIntegrationWorkspaces.id': '"<mcpIntegrationId>"',
  'Query.mcpServerCapabilities.id': '"<mcpServerId>"',
  'Query.mcpServerConnections.id': '"<mcpServerId>"',
  'Query.mcpServerUserAccess.id': '"<mcpServerId>"',
  'Query.providers.workspaceId': '"<workspaceId>"',
  'Query.availableModels.workspaceId': '"<workspaceId>"',
  'Query.virtualKeys.workspaceId': '"<workspaceId>"',
  'Query.scopePresets.type': '"workspace-service"',
  'Query.limitCounters.limitId': '"policy:<usagePolicyId>"',
  'Query.limitHistory.limitId': '"policy:<usagePolicyId>"',
  'Query.usageLimitPolicyEntities.policyId': '"<usagePolicyId>"',
  'Query.webhookDeliveries.endpointId': '"<webhookEndpointId>"',
  // From the first event on.
  'Query.logArrivals.after': '"0-0"',
  'Query.logFacets.field': 'config',
  // Built-in roles are in no database.
  'Query.roles.builtIn': 'false',
  // Those on the third level, each with a parent of its own.
  'Query.tenants.name': '"Below"',
};
/** Lists that are part of the program, so that no tenant has more of them than another, and one that is empty by right. */
const fixed = new Set([
  'GuardrailCheckKind.phases',
  'Query.guardrailChecks',
  'AuditChain.breaks',
  'Installation.subgraphs',
  'ProviderKind.settings',
  'Query.providerKinds',
  'Query.scopeCatalogue',
  'Query.scopePresets',
]);
/** What no item of a list has: a guardrail of the organisation is in no workspace. */
const empty = new Set(['Query.organisationGuardrails.data: workspace']);
const queries = listQueries(schema, required).filter(
  ({ label, lists }) => !empty.has(label) && [...lists].every((list) => !fixed.has(list)),
);

/** Members of REST paths and queries, by operation. */
const restParameters: Record<string, Record<string, string>> = {
  listAuditLogs: { start_time: '2025-01-01T00:00:00Z', end_time: '2036-01-01T00:00:00Z' },
  getBatch: { batch_id: '<batchId>' },
  listRuns: { thread_id: '<threadId>' },
  listRunSteps: { thread_id: '<threadId>', run_id: '<runId>' },
  listThreadMessages: { thread_id: '<threadId>' },
  getVectorStoreFileContent: { vector_store_id: '<vectorStoreId>', file_id: '<fileId>' },
  listVectorStoreFiles: { vector_store_id: '<vectorStoreId>' },
  listVectorStoreFileBatchFiles: { vector_store_id: '<vectorStoreId>', batch_id: '<fileBatchId>' },
  listConfigVersions: { slug: '<configId>' },
  getGuardrail: { guardrailId: '<guardrailId>' },
  getOrgGuardrail: { guardrailId: '<organisationGuardrailId>' },
  getIntegration: { slug: '<integrationId>' },
  getProvider: { slug: 'item-0', workspace_id: '<workspaceId>' },
  getVirtualKey: { slug: 'item-0', workspace_id: '<workspaceId>' },
  listIntegrationModels: { slug: '<integrationId>' },
  listIntegrationModelsAtOlderPath: { slug: '<integrationId>' },
  listIntegrationWorkspaces: { slug: '<integrationId>' },
  getApiKey: { id: '<apiKeyId>' },
  listUsageLimitPolicyEntities: { policyUsageLimitsId: '<usagePolicyId>' },
  getUsageLimitPolicy: { policyUsageLimitsId: '<usagePolicyId>' },
  getRateLimitPolicy: { rateLimitsPolicyId: '<ratePolicyId>' },
  getWorkspace: { workspaceId: '<workspaceId>' },
  listWorkspaceMembers: { workspaceId: '<workspaceId>' },
  getUserInvite: { inviteId: '<inviteId>' },
  listMcpIntegrationCapabilities: { mcpIntegrationId: '<mcpIntegrationId>' },
  listMcpIntegrationWorkspaces: { mcpIntegrationId: '<mcpIntegrationId>' },
  getMcpIntegration: { mcpIntegrationId: '<mcpIntegrationId>' },
  listMcpServerCapabilities: { mcpServerId: '<mcpServerId>' },
  listMcpServerConnections: { mcpServerId: '<mcpServerId>' },
  listMcpServerUserAccess: { mcpServerId: '<mcpServerId>' },
  listProviders: { workspace_id: '<workspaceId>' },
  listVirtualKeys: { workspace_id: '<workspaceId>' },
};

const restLists = readOperations(schema, operationFiles()).filter(({ document, rest }) => {
  const types = new TypeInfo(schema);
  let lists = false;
  const Field = () => {
    const type = getNullableType(types.getType());
    lists ||= isListType(type) && isObjectType(getNamedType(type));
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return (
    lists &&
    rest.method === 'GET' &&
    !/^\/(analytics\/|model-configs\/|scopes$|scope-presets$)/.test(rest.path)
  );
});

/** Lists that only mutations or subscriptions answer: what they hold was written one by one. The tree of a trace is made of one read. */
const written = new Set([
  'Trace.spans',
  'Span.children',
  'AcceptedInvite.apiKeys',
  'FeedbackResult.feedback',
  'LogBatch.data',
]);

/**
 * Lists that are worked out: from sums, test/subgraphs/insights/analytics.test.ts counts what is read for them; from the
 * catalogue of prices, for which nothing is read; and one item for each document of a bundle that the caller sent.
 */
const workedOut = new Set(
  [
    'AdmissionCheck',
    'VectorStoreFileContentPage',
    'VectorStoreSearchPage',
    'VectorStoreSearchResult',
    'EffectiveGuardrails',
    'Analytics',
    'AuditLogFacets',
    'BundleApplication',
    'BundlePlan',
    'ModelPricing',
    'ModelConfiguration',
    'ConfigValidation',
    'ConfigSimulation',
  ].flatMap((type) => [...listsBelow(schema, type)]),
);

const withMembers = (text: string, tenant: FilledTenant) =>
  text.replace(/<(\w+)>/g, (_, name: keyof FilledTenant) => String(tenant[name]));

/** Lists of one document with all that it names, whose reads are counted for the REST path that answers them. */
const ofOneDocument = new Set([
  'OrganisationDefaults.inputGuardrails',
  'OrganisationDefaults.outputGuardrails',
]);

let app: CountedApp;
let few: FilledTenant;
let many: FilledTenant;

beforeAll(async () => {
  // What is asked here is more than a dashboard would.
  app = await startCountedApp({ GRAPHQL_MAX_COST: '100000000' });
  // Lists stand in lists in lists: what one question answers is the fourth power of these, so 16 items and 625.
  few = await fillTenant(app, rounds(2, 3));
  many = await fillTenant(app, rounds(5, 8));
  // The first sight of a token is a read of its own.
  for (const { token } of [few, many]) await app.graphql('{ __typename }', {}, token);
}, 120_000);
afterAll(() => app.stop());

/** Asks the small tenant and the large one; the large one may cost no more commands than the small one. */
async function expectNoGrowth<T>(
  ask: (tenant: FilledTenant) => Promise<T>,
  check: (answer: T, size: number) => void,
) {
  const [small, large] = [await app.commandsOf(() => ask(few)), await app.commandsOf(() => ask(many))];
  check(small.answer, few.size);
  check(large.answer, many.size);
  expect(small.commands.length).toBeGreaterThan(0);
  expect({ items: many.size, commands: large.commands.sort() }).toEqual({
    items: many.size,
    commands: small.commands.sort(),
  });
}

/** References that lead to one and the same document from every item of a list, with the reason. */
const shared = new Map([
  ['Provider.workspace', 'a list of providers is of one workspace'],
  ['VirtualKey.workspace', 'a list of virtual keys is of one workspace'],
  ['Workspace.organisation', 'a tenant is one organisation'],
  ['ScimMapping.scimGroup', 'the mappings of a group are of one group'],
  ['Member.workspace', 'a list of members is of one workspace'],
]);

/** What the process that is asked has in memory, or null: no item of a list makes it read. */
const inMemory = new Set(['McpMetadata.health']);

/** Throws a sentence where the answer has nothing, or less than asked for: what is not there costs no reads. */
function requireFilled(type: GraphQLObjectType, data: Record<string, unknown>, size: number): void {
  for (const [name, value] of Object.entries(data)) {
    const field = type.getFields()[name];
    const below = field && getNamedType(field.type);
    if (!field || !isObjectType(below)) continue;
    const place = `${type.name}.${name}`;
    if (inMemory.has(place)) continue;
    const items = Array.isArray(value) ? value : [value];
    const wanted = isListType(getNullableType(field.type)) ? size : 1;
    if (items.length < wanted || items.includes(null)) {
      throw new Error(
        `${place} has ${items.filter((item) => item !== null).length} of ${wanted} items: fill it in test/support/filled-tenant.ts.`,
      );
    }
    for (const item of items) requireFilled(below, item, size);
    if (Array.isArray(value)) requireDistinct(below, value);
  }
}

/** Throws a sentence where items refer to one document: a loader that only remembers would pass for one that batches. */
function requireDistinct(item: GraphQLObjectType, items: Record<string, { id?: string } | null>[]): void {
  for (const { name } of Object.values(item.getFields())) {
    const ids = items.flatMap((each) => each[name]?.id ?? []);
    if (new Set(ids).size === ids.length || shared.has(`${item.name}.${name}`)) continue;
    throw new Error(
      `${item.name}.${name} is the same for several items: make them differ in test/support/filled-tenant.ts.`,
    );
  }
}

const queryType = schema.getQueryType() as GraphQLObjectType;

describe('the reads of a list in the graph', () => {
  it('are counted, whoever makes them', async () => {
    const { commands } = await app.commandsOf(() =>
      app.graphql('{ logs(pageSize: 2) { total data { request { url } } } }', {}, many.token),
    );
    expect(commands.sort()).toEqual(['aggregate logs', 'find log_bodies', 'find logs']);
  });

  it('are looked at for every list that there is', () => {
    const covered = new Set(queries.flatMap(({ lists }) => [...lists]));
    const others = [covered, written, workedOut, fixed, ofOneDocument, new Set(['Viewer.workspaces'])];
    expect(listsOf(schema).filter((list) => !others.some((known) => known.has(list)))).toEqual([]);
  });

  it('do not grow with the workspaces of whoever asks', () =>
    expectNoGrowth(
      ({ token, size }) => app.graphql(`{ viewer { workspaces(limit: ${size}) { id } } }`, {}, token),
      ({ data }, size) => expect(data.viewer.workspaces).toHaveLength(size),
    ));

  it.each(queries.map((query) => [query.label, query] as const))(
    'do not grow with its items: %s',
    async (_label, query) => {
      await expectNoGrowth(
        (tenant) => app.graphql(withMembers(query.text(tenant.size), tenant), {}, tenant.token),
        ({ data, errors }, size) => {
          expect(errors ?? []).toEqual([]);
          requireFilled(queryType, data, size);
        },
      );
    },
  );
});

describe('the reads of a REST list', () => {
  it.each(
    restLists.map((operation) => [`${operation.rest.method} ${operation.rest.path}`, operation] as const),
  )('do not grow with its items: %s', async (_label, { rest, definition }) => {
    const variables = (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
    const members = Object.entries(restParameters[definition.name?.value ?? ''] ?? {});
    const inPath = members.filter(([name]) => rest.path.includes(`{${name}}`));
    const query = members.filter((member) => !inPath.includes(member));
    await expectNoGrowth(
      (tenant) => {
        const search = new URLSearchParams(query);
        if (variables.includes('pageSize')) search.set('page_size', String(tenant.size));
        const base = rest.on.includes('IAM_V1') ? '/iam/v1' : '/v1';
        const place = inPath.reduce((path, [name, id]) => path.replace(`{${name}}`, id), rest.path);
        const path = `${base}${place}?${search}`;
        const headers = { authorization: `Bearer ${tenant.token}` };
        return app.rest('GET', withMembers(decodeURIComponent(path), tenant), { key: null, headers });
      },
      ({ status, body }, size) => {
        expect({ status, body }).toMatchObject({ status: 200 });
        const isListOfObjects = (member: unknown) =>
          Array.isArray(member) && member.some((item) => typeof item === 'object');
        // What is wrong with the lines of a batch is a list within its errors.
        const { errors = {}, ...members } = body as { errors?: object };
        const lists = [...Object.values(members), ...Object.values(errors)].filter(isListOfObjects);
        expect(lists).not.toEqual([]);
        expect(lists.map(({ length }) => length)).toEqual(lists.map(() => size));
      },
    );
  });
});

describe('the reads of a SCIM list', () => {
  it.each(['Users', 'Groups', 'Groups?excludedAttributes=members'])(
    'do not grow with its items: %s',
    async (place) => {
      await expectNoGrowth(
        (tenant) => {
          const headers = { authorization: `Bearer ${tenant.token}` };
          return app.rest('GET', `/scim/v2/${place}`, { key: null, headers });
        },
        ({ status, body }, size) => {
          expect({ status, body }).toMatchObject({ status: 200, body: { itemsPerPage: size } });
          const { Resources } = body as { Resources: { members?: object[] }[] };
          if (place === 'Groups') for (const { members } of Resources) expect(members).toHaveLength(size);
        },
      );
    },
  );
});
