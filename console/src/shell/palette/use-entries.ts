import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { useGo } from '../address.ts';
import { PaletteResourcesDocument } from '../documents.ts';
import { useSignOut } from '../frame/user-menu.tsx';
import { pages } from '../pages.ts';
import { mayAny, useViewer } from '../session/viewer.ts';
import { useTheme, useZone } from '../stored.ts';
import { hasPage, kindOf, matching, type PaletteEntry } from './entries.ts';
import { usePasted } from './use-pasted.ts';

/** What the palette offers for a text: what was pasted, pages and actions, and resources of that name. */
export function useEntries(text: string): PaletteEntry[] {
  const fixed = useFixedEntries();
  const named = useResources(text);
  const pasted = usePasted(text);
  return useMemo(() => [...pasted, ...matching(fixed, text), ...named], [pasted, fixed, named, text]);
}

function useFixedEntries(): PaletteEntry[] {
  const viewer = useViewer();
  const go = useGo();
  const navigate = useNavigate();
  const leave = useSignOut();
  const [, setTheme] = useTheme();
  const isDark = document.documentElement.dataset.theme === 'dark';
  const [zone, setZone] = useZone();
  const seen = pages.filter(({ scopes }) => mayAny(viewer, scopes));
  return [
    ...seen.map(({ path, label, icon }) => ({
      id: `page ${path}`,
      label,
      icon,
      note: 'Page',
      choose: () => go(path),
    })),
    ...viewer.workspaces.map(({ slug, name }) => ({
      id: `workspace ${slug}`,
      label: `Switch to ${name}`,
      icon: 'providers' as const,
      note: 'Workspace',
      choose: () => void navigate({ to: `/${slug}` } as never),
    })),
    {
      id: 'theme',
      label: isDark ? 'Use the light theme' : 'Use the dark theme',
      icon: 'moon',
      note: 'Action',
      choose: () => setTheme(isDark ? 'light' : 'dark'),
    },
    {
      id: 'zone',
      label: zone === 'utc' ? 'Show local times' : 'Show times in UTC',
      icon: 'clock',
      note: 'Action',
      choose: () => setZone(zone === 'utc' ? 'local' : 'utc'),
    },
    {
      id: 'link',
      label: 'Copy a link to this screen',
      icon: 'link',
      note: 'Action',
      choose: () => void navigator.clipboard.writeText(location.href),
    },
    { id: 'out', label: 'Sign out', icon: 'out', note: 'Action', choose: leave },
  ];
}

function useResources(text: string): PaletteEntry[] {
  const viewer = useViewer();
  const go = useGo();
  const may = (family: string) => viewer.permissions.some((scope) => scope.endsWith(`${family}.list`));
  const { data } = useDocument(
    PaletteResourcesDocument,
    {
      name: text,
      keys: may('_api_keys'),
      configs: hasPage('configs') && may('configs'),
      providers: hasPage('providers') && may('_integrations'),
      workspaces: may('workspaces'),
    },
    { isEnabled: text.length >= 2 && kindOf(text) === null },
  );
  if (text.length < 2 || !data) return [];
  const wanted = text.toLowerCase();
  const of = (
    rows: readonly { id: string; name: string }[] = [],
    path: string,
    icon: PaletteEntry['icon'],
    note: string,
  ) =>
    rows
      // The answer of the text before stays until the next one is there.
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .map(({ id, name }) => ({
        id: `${note} ${id}`,
        label: name,
        icon,
        note,
        choose: () => go(`${path}/${id}`),
      }));
  // What has no page here has nothing to lead to.
  return [
    ...of(data.apiKeys?.data, 'keys', 'keys', 'Key'),
    ...(hasPage('configs') ? of(data.configs?.data, 'configs', 'configs', 'Config') : []),
    ...(hasPage('providers') ? of(data.integrations?.data, 'providers', 'providers', 'Provider') : []),
  ];
}
