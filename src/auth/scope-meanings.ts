import type { Scope } from './scopes.ts';

/** What the scopes of a family are about, as the end of a sentence. */
const subjects: Readonly<Record<string, string>> = {
  agent_servers: 'agent servers',
  configs: 'configs',
  deployments: 'deployments',
  guardrails: 'guardrails',
  mcp_servers: 'MCP servers',
  organisation_agent_integrations: 'integrations of agents, for the whole organisation',
  organisation_exclusions: 'exceptions from the guardrails of the organisation',
  organisation_guardrails: 'guardrails of the whole organisation',
  organisation_integrations: 'accounts at providers, for the whole organisation',
  organisation_mcp_integrations: 'integrations of MCP servers, for the whole organisation',
  organisation_service_api_keys: 'keys of the whole organisation',
  organisation_settings: 'settings of the organisation',
  organisation_users: 'users and invites of the organisation',
  plugins: 'plugins of guardrails',
  policies: 'limits of rates and of usage',
  prompts: 'prompt templates',
  providers: 'providers of a workspace',
  secret_references: 'references to secrets in other stores',
  virtual_keys: 'virtual keys, the older name of providers',
  workspace_agent_integrations: 'integrations of agents in a workspace',
  workspace_integrations: 'accounts at providers in a workspace',
  workspace_mcp_integrations: 'integrations of MCP servers in a workspace',
  workspace_service_api_keys: 'keys that stand for programs in a workspace',
  workspace_user_api_keys: 'keys that stand for people in a workspace',
  workspace_users: 'members of workspaces',
  workspaces: 'workspaces and their settings',
};

const acts: Readonly<Record<string, string>> = {
  copy: 'Copy',
  create: 'Make',
  delete: 'Delete',
  duplicate: 'Duplicate',
  list: 'List',
  publish: 'Publish',
  read: 'Read',
  rotate: 'Give a new secret to',
  update: 'Change',
};

/** Scopes whose meaning is more than an act on a subject. */
const exact: Readonly<Record<Scope, string>> = {
  'agents.invoke': 'Call agents.',
  'analytics.view': 'See the numbers of requests, tokens and costs.',
  'audit_logs.list': 'See who changed what in the organisation.',
  'completions.read': 'Read what completions left at their provider.',
  'completions.write': 'Call models: chat, embeddings, images and every other inference path.',
  'feedbacks.read': 'See the feedback on requests.',
  'feedbacks.write': 'Give feedback on requests.',
  'guardrails.invoke': 'Run guardrails without a call of a model.',
  'logs.export': 'Make and download exports of request logs.',
  'logs.list': 'List request logs.',
  'logs.read': "Read the key's own request logs.",
  'logs.view': 'Read a request log with its bodies.',
  'logs.write': 'Store logs of requests that went elsewhere; also needs completions.write.',
  'mcp.invoke': 'Call tools of MCP servers.',
  'models.list': 'See which models can be called.',
  'prompts.render': 'Fill in prompt templates.',
};

/** What a key with this scope may do, as a sentence. Throws for a scope of the vocabulary that has no meaning here yet. */
export function meaningOf(scope: Scope): string {
  const known = exact[scope];
  if (known !== undefined) return known;
  const [family = '', verb = ''] = scope.split('.');
  const [act, subject] = [acts[verb], subjects[family]];
  if (act === undefined || subject === undefined) throw new Error(`Nothing says what ${scope} means.`);
  return `${act} ${subject}.`;
}
