import { useNavigate, useRouterState } from '@tanstack/react-router';
import { zoneName } from '../../format/time.ts';
import { Button, IconButton, Select } from '../../ui/index.ts';
import { useWorkspaceSlug } from '../address.ts';
import { pages } from '../pages.ts';
import { type RangeName, ranges, useRange } from '../range.ts';
import { useViewer } from '../session/viewer.ts';
import { useTheme, useZone } from '../stored.ts';
import { LiveDot } from './live-dot.tsx';
import { UserMenu } from './user-menu.tsx';

/** Where one is, which time it is about, and who one is. */
export function TopBar({ onSearch, onHelp }: { onSearch(): void; onHelp(): void }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const page = pages.find((known) => path.split('/').includes(known.path));
  const [theme, setTheme] = useTheme();
  const isDark = document.documentElement.dataset.theme === 'dark';
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line bg-surface px-3 sm:px-6">
      <WorkspaceChoice />
      <span className="flex-1" />
      <LiveDot />
      {page?.hasRange && <RangeChoice usual={page.usualRange} />}
      <ZoneChoice />
      <IconButton icon="search" label="Search and commands" className="sm:hidden" onClick={onSearch} />
      <IconButton
        icon={isDark ? 'sun' : 'moon'}
        label={isDark ? 'Light theme' : 'Dark theme'}
        className="max-sm:hidden"
        onClick={() => setTheme(isDark ? 'light' : 'dark')}
        aria-pressed={theme !== 'system' ? false : undefined}
      />
      <UserMenu onHelp={onHelp} />
    </header>
  );
}

function WorkspaceChoice() {
  const { workspaces, organisation } = useViewer();
  const slug = useWorkspaceSlug();
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const choices = [
    { value: '_', label: organisation.name, note: 'all workspaces' },
    ...workspaces.map(({ slug: value, name }) => ({ value, label: name })),
  ];
  return (
    <Select
      label="Workspace"
      isQuiet
      className="max-w-56 font-[560] text-text"
      choices={choices}
      value={slug}
      onChange={(chosen) => {
        // What is looked at belongs to the workspace that is left; its list is there in the other one too.
        const page = path.split('/')[path.split('/').indexOf(slug) + 1] ?? '';
        navigate({ to: `/${chosen}/${page}` } as never);
      }}
    />
  );
}

function RangeChoice({ usual }: { usual: RangeName | undefined }) {
  const { name, label, choose } = useRange(usual);
  const own = name === null ? [{ value: 'own', label }] : [];
  return (
    <Select<string>
      label="Time range"
      isQuiet
      choices={[...own, ...ranges.map(({ value, label: long }) => ({ value, label: long }))]}
      value={name ?? 'own'}
      onChange={(value) => value !== 'own' && choose(value as RangeName)}
    />
  );
}

function ZoneChoice() {
  const [zone, setZone] = useZone();
  return (
    <Button
      look="quiet"
      className="max-md:hidden"
      onClick={() => setZone(zone === 'local' ? 'utc' : 'local')}
      aria-label={`Times are in ${zoneName(zone)}; switch to ${zone === 'local' ? 'UTC' : 'local time'}`}
    >
      {zone === 'utc' ? 'UTC' : zoneName('local').split('/').at(-1)?.replaceAll('_', ' ')}
    </Button>
  );
}
