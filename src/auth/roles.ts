import { isScope, type Scope, scopes } from './scopes.ts';

/** What only access tokens may hold: administration of identities, beside the scopes of keys. */
export const iamPermissions = [
  'iam.access_policy',
  'iam.custom_role',
  'iam.service_account',
  'iam.tenant',
] as const;

/** What a role allows: a scope, or a permission on identities such as `iam.service_account`. */
export type Permission = Scope | (typeof iamPermissions)[number];

export const isPermission = (value: string): value is Permission =>
  isScope(value) || (iamPermissions as readonly string[]).includes(value);

const everything: Permission[] = [...scopes, ...iamPermissions];

const views = scopes.filter((scope) => /\.(read|list|view)$/.test(scope) && scope !== 'completions.read');

/** Families of which a workspace's administrators may do everything. */
const workspaceFamilies = new Set([
  'agent_servers',
  'agents',
  'analytics',
  'completions',
  'configs',
  'feedbacks',
  'guardrails',
  'logs',
  'mcp',
  'mcp_servers',
  'models',
  'policies',
  'prompts',
  'providers',
  'virtual_keys',
  'workspace_agent_integrations',
  'workspace_integrations',
  'workspace_mcp_integrations',
  'workspace_service_api_keys',
  'workspace_user_api_keys',
  'workspace_users',
]);
const familyOf = (scope: Scope) => scope.split('.')[0] ?? '';

const workspaceAdmin: Permission[] = [
  ...scopes.filter((scope) => workspaceFamilies.has(familyOf(scope))),
  'organisation_agent_integrations.list',
  'organisation_integrations.list',
  'organisation_mcp_integrations.list',
  'workspaces.list',
  'workspaces.read',
  'workspaces.update',
];
/** Only administrators of a workspace change its budgets; managers read them. */
const workspaceManager = workspaceAdmin.filter(
  (scope) => familyOf(scope) !== 'policies' || /\.(read|list)$/.test(scope),
);
/** Members see the user keys of their own: service keys stand for nobody. */
const workspaceMember = workspaceManager.filter(
  (scope) => views.includes(scope) && familyOf(scope) !== 'workspace_service_api_keys',
);

type BuiltInRole = { meaning: string; permissions: readonly Permission[] };

/** Roles that every tenant has, by the slug that an access policy names; docs/reference/scopes.md tells their meaning. */
export const builtInRoleDefinitions: Readonly<Record<string, BuiltInRole>> = {
  superuser: { meaning: 'may do everything', permissions: everything },
  view_only_admin: { meaning: 'may read everything but identities', permissions: views },
  organisation_owner: { meaning: 'may do everything', permissions: everything },
  organisation_admin: { meaning: 'may do everything', permissions: everything },
  organisation_member: { meaning: 'may do nothing until a workspace takes the member in', permissions: [] },
  workspace_admin: {
    meaning: 'may do everything in a workspace, its keys and members included',
    permissions: workspaceAdmin,
  },
  workspace_manager: {
    meaning: 'the same, but may only read the budgets of the workspace (`policies`)',
    permissions: workspaceManager,
  },
  workspace_member: { meaning: 'may read what is in a workspace', permissions: workspaceMember },
};

/** What each built-in role allows. */
export const builtInRoles: ReadonlyMap<string, readonly Permission[]> = new Map(
  Object.entries(builtInRoleDefinitions).map(([slug, { permissions }]) => [slug, permissions]),
);
