import type { SwitchName } from '../../../src/auth/index.ts';

export const roles = [
  'organisation_owner',
  'organisation_admin',
  'workspace_admin',
  'workspace_manager',
  'workspace_member',
] as const;
export type Role = (typeof roles)[number];

/** What somebody with the role loses while a switch is off or, where it is off at first, gains while it is on. */
export type Change = { role: Role; loses?: string[]; gains?: string[] };

const named = (family: string, verbs: string): string[] =>
  verbs.split(' ').map((verb) => `${family}.${verb}`);

const admin = 'organisation_admin';
const manager = 'workspace_manager';
const member = 'workspace_member';
const writing = 'create update delete';
const allOfKeys = 'list read create update delete rotate';

/** By hand, so that a change of the table shows. */
export const changes: Record<SwitchName, Change> = {
  orgAdminsViewLogs: { role: admin, loses: named('logs', 'view read export') },
  orgAdminsViewLogsMetadata: { role: admin, loses: named('logs', 'list export') },
  managersViewLogs: { role: manager, loses: named('logs', 'view read export') },
  managersViewLogsMetadata: { role: manager, loses: named('logs', 'list export') },
  membersViewLogs: { role: member, loses: named('logs', 'view read') },
  membersViewLogsMetadata: { role: member, loses: ['logs.list'] },
  managersViewAnalytics: { role: manager, loses: ['analytics.view'] },
  membersViewAnalytics: { role: member, loses: ['analytics.view'] },
  managersViewAllData: { role: manager, loses: [] },
  membersViewAllData: { role: member, loses: [] },
  managersViewPrompts: { role: manager, loses: named('prompts', `list read publish ${writing}`) },
  managersWritePrompts: { role: manager, loses: named('prompts', `publish ${writing}`) },
  membersViewPrompts: { role: member, loses: named('prompts', 'list read') },
  membersWritePrompts: { role: member, gains: named('prompts', `publish ${writing}`) },
  managersViewGuardrails: { role: manager, loses: named('guardrails', `list read ${writing}`) },
  managersWriteGuardrails: { role: manager, loses: named('guardrails', writing) },
  membersViewGuardrails: { role: member, loses: named('guardrails', 'list read') },
  managersViewProviders: {
    role: manager,
    loses: [
      ...named('providers', `list read ${writing}`),
      ...named('virtual_keys', `list read copy duplicate ${writing}`),
    ],
  },
  managersManageProviders: {
    role: manager,
    loses: [...named('providers', writing), ...named('virtual_keys', `copy duplicate ${writing}`)],
  },
  membersViewProviders: {
    role: member,
    loses: [...named('providers', 'list read'), ...named('virtual_keys', 'list read')],
  },
  managersWriteWsIntegrations: { role: manager, loses: named('workspace_integrations', writing) },
  managersWriteWsMcpIntegrations: { role: manager, loses: named('workspace_mcp_integrations', writing) },
  managersWriteMcpServers: { role: manager, loses: named('mcp_servers', writing) },
  managersViewApiKeys: {
    role: manager,
    loses: [
      ...named('workspace_service_api_keys', allOfKeys),
      ...named('workspace_user_api_keys', allOfKeys),
    ],
  },
  managersManageApiKeys: {
    role: manager,
    loses: [
      ...named('workspace_service_api_keys', `rotate ${writing}`),
      ...named('workspace_user_api_keys', `rotate ${writing}`),
    ],
  },
  membersViewApiKeys: { role: member, loses: named('workspace_user_api_keys', 'list read') },
  membersManageApiKeys: {
    role: member,
    gains: [...named('workspace_user_api_keys', `rotate ${writing}`), 'completions.write', 'prompts.render'],
  },
  membersContribute: {
    role: member,
    gains: ['configs.create', ...named('guardrails', 'create update'), ...named('prompts', 'create update')],
  },
};
