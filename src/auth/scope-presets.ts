import { type ApiKeyType, mayHold, type Scope, scopes } from './scopes.ts';

/** Scopes that are usually given together, under a name that says for what. */
export type ScopePreset = { id: string; name: string; description: string; scopes: readonly Scope[] };

const presets: readonly ScopePreset[] = [
  {
    id: 'application',
    name: 'Application',
    description: 'A program that calls models and tells how good the answers were.',
    scopes: ['completions.write', 'models.list', 'feedbacks.write'],
  },
  {
    id: 'ci',
    name: 'CI',
    description: 'A pipeline that keeps configs as they are in a repository, and tries them out.',
    scopes: [
      'completions.write',
      'configs.create',
      'configs.list',
      'configs.read',
      'configs.update',
      'logs.list',
      'providers.list',
      'providers.read',
    ],
  },
  {
    id: 'admin-read-only',
    name: 'Admin read-only',
    description: 'An auditor or a dashboard that sees everything and changes nothing.',
    scopes: scopes.filter((scope) => /\.(list|read|view)$/.test(scope) && scope !== 'completions.read'),
  },
];

/** Whom a preset is for; a purpose does not fit every type of key. */
const holders: Readonly<Record<string, readonly ApiKeyType[]>> = {
  application: ['workspace-service', 'workspace-user'],
  ci: ['organisation-service', 'workspace-service'],
  'admin-read-only': ['organisation-service', 'workspace-service'],
};

/** The presets that make sense for a key of this type, each with the scopes that the type may hold. */
export const presetsFor = (type: ApiKeyType): ScopePreset[] =>
  presets
    .filter(({ id }) => holders[id]?.includes(type))
    .map((preset) => ({ ...preset, scopes: preset.scopes.filter((scope) => mayHold(type, scope)) }));
