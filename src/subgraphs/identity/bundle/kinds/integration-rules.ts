import { isObject, type JsonObject } from '../../../../lib/json.ts';
import { findProvider, isKnownProvider } from '../../../../providers/index.ts';
import type { SpecPath, SpecReference } from '../kind.ts';
import { checkLimits, limitReferences } from './integration-limits.ts';
import { mappingReference } from './mappings.ts';
import { workspaceReferences } from './parts.ts';

const headersOf = (configurations: unknown, path: SpecPath): SpecPath[] => {
  const headers = isObject(configurations) ? configurations.custom_headers : undefined;
  return isObject(headers) ? Object.keys(headers).map((name) => [...path, 'custom_headers', name]) : [];
};

export function secrets({ aiProviderId, key, configurations, models }: JsonObject): SpecPath[] {
  const settings = findProvider(String(aiProviderId))?.settings ?? {};
  const given = Object.keys(configurations as JsonObject);
  return [
    ...(key === null ? [] : [['key']]),
    ...given
      .filter((name) => Object.hasOwn(settings, name) && settings[name]?.secret)
      .map((name) => ['configurations', name]),
    ...headersOf(configurations, ['configurations']),
    ...(models as JsonObject[]).flatMap((each, index) =>
      headersOf(each.configurations, ['models', index, 'configurations']),
    ),
  ];
}

export function references({ key, configurations, ...spec }: JsonObject): SpecReference[] {
  return [
    ...['workspace', 'workspaces', 'deniedWorkspaces'].flatMap((member) => workspaceReferences(spec, member)),
    ...limitReferences(spec),
    ...mappingReference(key, ['key']),
    ...Object.entries(configurations as JsonObject).flatMap(([name, value]) =>
      mappingReference(value, ['configurations', name]),
    ),
  ];
}

const sharing = ['workspaces', 'deniedWorkspaces', 'workspaceLimits'];

export function check(spec: JsonObject) {
  const { aiProviderId, configurations, workspace, allWorkspaces } = spec;
  const kind = findProvider(String(aiProviderId));
  if (!isKnownProvider(String(aiProviderId)))
    return [{ path: ['aiProviderId'], message: 'is not a provider that this gateway knows.' }];
  const known = new Set(['custom_host', 'custom_headers', ...Object.keys(kind?.settings ?? {})]);
  const isShared = allWorkspaces !== true || sharing.some((member) => (spec[member] as []).length > 0);
  return [
    ...Object.keys(configurations as JsonObject)
      .filter((name) => !known.has(name))
      .map((name) => ({ path: ['configurations', name], message: `is not supported by ${aiProviderId}.` })),
    ...(workspace !== null && isShared
      ? [{ path: ['workspaces'], message: 'must be absent: an integration of one workspace is not shared.' }]
      : checkLimits(spec)),
  ];
}

/** Models of the provider's own list are switched off and never removed. */
export function checkUpdate(spec: JsonObject, before: JsonObject) {
  const kept = new Set((spec.models as JsonObject[]).map(({ slug }) => slug));
  return (before.models as JsonObject[])
    .filter(({ slug, isCustom }) => !isCustom && !kept.has(slug))
    .map(({ slug }) => ({
      path: ['models'],
      message: `must list ${slug}: it can be switched off, but not removed.`,
    }));
}
