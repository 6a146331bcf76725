import { describe, expect, it } from '@jest/globals';
import { snakeCase } from '../../rest-compat/compile/names.ts';
import { readOperations } from '../../rest-compat/compile/operation.ts';
import { operationFiles } from '../../rest-compat/index.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';

const { schema } = createGraph(readSources(subgraphs));

const logFilters = `total_units_min total_units_max cost_min cost_max prompt_token_min prompt_token_max
  completion_token_min completion_token_max status_code virtual_keys configs api_key_ids metadata ai_org_model trace_id
  span_id prompt_slug weighted_feedback_min weighted_feedback_max`;

/** The query members that SDKs made for such a gateway send, by list. */
const published: Record<string, string> = {
  '/access_policies': '',
  '/admin/users': 'page_size current_page role email',
  '/admin/users/invites': 'page_size current_page role email status',
  '/admin/workspaces': 'page_size current_page name exact_name status',
  '/admin/workspaces/{workspaceId}/users': 'current_page page_size role email',
  '/api-keys': 'page_size current_page workspace_id ids',
  '/assistants': 'limit order after before',
  '/threads/{thread_id}/messages': 'run_id limit order after before',
  '/threads/{thread_id}/runs': 'limit order after before',
  '/threads/{thread_id}/runs/{run_id}/steps': 'include limit order after before',
  '/vector_stores': 'limit order after before',
  '/vector_stores/{vector_store_id}/files': 'filter limit order after before',
  '/vector_stores/{vector_store_id}/file_batches/{batch_id}/files': 'filter limit order after before',
  '/audit-logs': `start_time end_time method uri request_id user_id user_type workspace_id response_status_code
    resource_type action client_ip country current_page page_size organisation_id`,
  '/batches': 'limit order after before',
  '/configs': 'workspace_id current_page page_size',
  '/configs/{slug}/versions': '',
  '/deployments': 'type status workspace_id search current_page page_size',
  '/guardrails': 'workspace_id organisation_id ids page_size current_page',
  '/org-guardrails': 'ids page_size current_page',
  '/workspace-exclusions/input-guardrails': 'organisation_id',
  '/workspace-exclusions/output-guardrails': 'organisation_id',
  '/integrations': 'current_page page_size workspace_id type tags',
  '/integrations/{slug}/models': '',
  '/integrations/{slug}/integration-models': '',
  '/integrations/{slug}/workspaces': '',
  '/logs': `workspace_slug time_of_generation_min time_of_generation_max current_page page_size ${logFilters}`,
  '/logs/exports': 'workspace_id',
  '/model-configs/pricing/{provider}': '',
  '/policies/rate-limits': 'workspace_id status type unit page_size current_page target',
  '/policies/usage-limits': 'workspace_id status type page_size current_page',
  '/policies/usage-limits/{policyUsageLimitsId}/entities': 'status search page_size current_page',
  '/scim/workspaces': 'workspace_id scim_group_id role page page_size',
  '/mcp-integrations': 'organisation_id type workspace_id page_size current_page search',
  '/mcp-integrations/{mcpIntegrationId}/capabilities': 'page page_size type',
  '/mcp-integrations/{mcpIntegrationId}/workspaces': 'version',
  '/mcp-servers': 'workspace_id current_page page_size id search',
  '/mcp-servers/{mcpServerId}/capabilities': 'page page_size type',
  '/mcp-servers/{mcpServerId}/connections': 'user_id workspace_id current_page page_size',
  '/mcp-servers/{mcpServerId}/user-access': 'page page_size search',
  '/servers': 'limit cursor search updated_since workspace_id',
  '/secret-references': 'current_page page_size manager_type tags search',
  // The gateway's own.
  '/scopes': 'type',
  '/scope-presets': 'type',
  '/providers': 'current_page page_size workspace_id tags',
  '/virtual-keys': 'current_page page_size workspace_id',
};

/** Members beyond the published ones: without them the end of a long list could not be reached. */
const added: Record<string, string[]> = {
  '/access_policies': ['principal', 'role', 'workspace_id', 'current_page', 'page_size'],
  '/configs/{slug}/versions': ['current_page', 'page_size'],
  '/logs/exports': ['current_page', 'page_size'],
  '/workspace-exclusions/input-guardrails': ['current_page', 'page_size'],
  '/workspace-exclusions/output-guardrails': ['current_page', 'page_size'],
};

const words = (text = '') => text.split(/\s+/).filter((word) => word !== '');

describe('a REST list', () => {
  const lists = readOperations(schema, operationFiles()).filter(({ definition }) =>
    definition.name?.value.startsWith('list'),
  );

  it.each(lists.map((operation) => [operation.rest.path, operation] as const))(
    '%s takes the query members that it is published with',
    (path, { definition }) => {
      expect(Object.keys(published)).toContain(path);
      const taken = (definition.variableDefinitions ?? [])
        .map(({ variable }) => variable.name.value)
        .map((name) => (path.includes(`{${name}}`) ? '' : snakeCase(name)))
        .filter((name) => name !== '' && !path.includes(`{${name}}`));
      expect(taken.sort()).toEqual([...words(published[path]), ...(added[path] ?? [])].sort());
    },
  );
});
