import type { ComponentType } from 'react';
import type { IconName } from '../ui/index.ts';
import type { RangeName } from './range.ts';

/** What the module of a page exports. */
export type PageModule = {
  default: ComponentType;
  /** One thing of the page, at `<path>/<id>`. */
  Detail?: ComponentType<{ id: string }>;
};

export type PageEntry = {
  /** Below the workspace in the address. */
  path: string;
  label: string;
  icon: IconName;
  group: 'Observe' | 'Build' | 'Govern' | '';
  /** After `g`. */
  key?: string;
  /** Any of these lets somebody see the page; without them it is for everybody who is signed in. */
  scopes: readonly string[];
  /** Whether the range of the top bar is about it. */
  hasRange?: boolean;
  /** The range where the address names none; a day unless given. */
  usualRange?: RangeName;
  hasDetail?: boolean;
  load(): Promise<PageModule>;
};

const keyLists = [
  'organisation_service_api_keys.list',
  'workspace_service_api_keys.list',
  'workspace_user_api_keys.list',
];

/** Every page of the frame, in the order of the sidebar. */
export const pages: readonly PageEntry[] = [
  {
    path: 'home',
    label: 'Home',
    icon: 'home',
    group: 'Observe',
    key: 'h',
    scopes: ['analytics.view'],
    hasRange: true,
    load: () => import('../pages/home/page.tsx'),
  },
  {
    path: 'logs',
    label: 'Logs',
    icon: 'logs',
    group: 'Observe',
    key: 'l',
    scopes: ['logs.list'],
    hasRange: true,
    hasDetail: true,
    load: () => import('../pages/logs/page.tsx'),
  },
  {
    path: 'spend',
    label: 'Spend',
    icon: 'spend',
    group: 'Observe',
    key: 's',
    scopes: ['analytics.view'],
    hasRange: true,
    usualRange: '30d',
    load: () => import('../pages/spend/page.tsx'),
  },
  {
    path: 'playground',
    label: 'Playground',
    icon: 'play',
    group: 'Build',
    scopes: ['models.list', 'providers.list'],
    load: () => import('../pages/playground/page.tsx'),
  },
  {
    path: 'providers',
    label: 'Providers',
    icon: 'providers',
    group: 'Build',
    key: 'p',
    scopes: ['organisation_integrations.list', 'workspace_integrations.list'],
    hasDetail: true,
    load: () => import('../pages/providers/page.tsx'),
  },
  {
    path: 'configs',
    label: 'Configs',
    icon: 'configs',
    group: 'Build',
    key: 'c',
    scopes: ['configs.list'],
    hasDetail: true,
    load: () => import('../pages/configs/page.tsx'),
  },
  {
    path: 'keys',
    label: 'Keys',
    icon: 'keys',
    group: 'Build',
    key: 'k',
    scopes: keyLists,
    hasDetail: true,
    load: () => import('../pages/keys/page.tsx'),
  },
  {
    path: 'guardrails',
    label: 'Guardrails',
    icon: 'shield',
    group: 'Build',
    scopes: ['guardrails.list'],
    hasDetail: true,
    load: () => import('../pages/guardrails/page.tsx'),
  },
  {
    path: 'mcp',
    label: 'MCP',
    icon: 'tools',
    group: 'Build',
    scopes: ['mcp_servers.list'],
    hasDetail: true,
    load: () => import('../pages/mcp/page.tsx'),
  },
  {
    path: 'assistants',
    label: 'Assistants',
    icon: 'assistant',
    group: 'Build',
    scopes: ['completions.write', 'completions.read'],
    hasDetail: true,
    load: () => import('../pages/assistants/page.tsx'),
  },
  {
    path: 'limits',
    label: 'Limits',
    icon: 'limits',
    group: 'Govern',
    scopes: ['policies.list'],
    hasDetail: true,
    load: () => import('../pages/limits/page.tsx'),
  },
  {
    path: 'access',
    label: 'Access',
    icon: 'access',
    group: 'Govern',
    scopes: ['organisation_users.list'],
    load: () => import('../pages/access/page.tsx'),
  },
  {
    path: 'audit',
    label: 'Audit',
    icon: 'audit',
    group: 'Govern',
    scopes: ['audit_logs.list'],
    hasRange: true,
    usualRange: '7d',
    load: () => import('../pages/audit/page.tsx'),
  },
  {
    path: 'settings',
    label: 'Settings',
    icon: 'settings',
    group: '',
    scopes: [],
    load: () => import('../pages/settings/page.tsx'),
  },
];

/** In the bar at the foot of narrow pages; everything else is behind "More". */
export const mainPaths: readonly string[] = ['home', 'logs', 'spend', 'keys'];
