import { Outlet, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { GraphError } from '../../data/graph-error.ts';
import { WorkspaceContext } from '../../data/workspace.ts';
import { Banner, Failure, Notice } from '../../ui/index.ts';
import { useGo, useWorkspaceSlug } from '../address.ts';
import { useKeys } from '../keys.ts';
import { pages } from '../pages.ts';
import { Palette } from '../palette/palette.tsx';
import { setSignedOut } from '../session/signed-out.ts';
import { usePresence } from '../session/use-presence.ts';
import { useViewerQuery, ViewerContext } from '../session/viewer.ts';
import { store, useTheme } from '../stored.ts';
import { BottomBar } from './bottom-bar.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';
import { useReturn } from './use-return.ts';

/** Everything around a page: who is signed in, where one is, and the ways elsewhere. */
export function Frame() {
  const slug = useWorkspaceSlug();
  const workspace = slug === '_' ? null : slug;
  const { data: viewer, error, refetch } = useViewerQuery(workspace);
  const [opened, setOpened] = useState<'palette' | 'help' | null>(null);
  const [theme] = useTheme();
  const navigate = useNavigate();
  const go = useGo();
  const content = useRef<HTMLElement>(null);
  const place = useReturn(content);

  useEffect(() => {
    if (error instanceof GraphError && error.code === 'UNAUTHENTICATED') setSignedOut(error.message);
  }, [error]);

  const jumps = useMemo(
    () => Object.fromEntries(pages.flatMap(({ key, path }) => (key ? [[`g ${key}`, () => go(path)]] : []))),
    [go],
  );
  useKeys({
    ...jumps,
    'mod+k': () => setOpened('palette'),
    '?': () => setOpened('help'),
    t: () => store('theme', theme === 'dark' || isDark() ? 'light' : 'dark'),
    y: () => void navigator.clipboard.writeText(location.href),
  });

  if (error && !viewer) {
    const isGone = error instanceof GraphError && (error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN');
    return isGone ? (
      <Notice
        icon="bad"
        title="There is no such workspace for you"
        action={
          <button type="button" className="underline" onClick={() => navigate({ to: '/' } as never)}>
            Go to a workspace that you are in
          </button>
        }
      >
        {error.message}
      </Notice>
    ) : (
      <Failure
        title="The console cannot ask who you are"
        message={error.message}
        onRetry={() => void refetch()}
      />
    );
  }
  if (!viewer) return null;
  return (
    <ViewerContext value={viewer}>
      <WorkspaceContext value={workspace}>
        <a
          href="#content"
          className="fixed top-2 left-2 z-50 -translate-y-16 rounded-control bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
        >
          Skip to content
        </a>
        <div className="flex h-dvh">
          <Sidebar onSearch={() => setOpened('palette')} />
          <div className="flex min-w-0 flex-1 flex-col">
            <TopBar onSearch={() => setOpened('palette')} onHelp={() => setOpened('help')} />
            {isExposed() && (
              <Banner tone="warn">
                This page travels without TLS: whoever is between this browser and {location.host} reads
                along. Put a proxy with https before it, and name it in PUBLIC_URL.
              </Banner>
            )}
            <main
              ref={content}
              id="content"
              data-scroll-restoration-id={place}
              tabIndex={-1}
              className="min-h-0 flex-1 overflow-y-auto outline-none"
            >
              <Outlet />
            </main>
            <BottomBar />
          </div>
        </div>
        <Presence />
        <Palette isOpen={opened === 'palette'} onClose={() => setOpened(null)} />
        <ShortcutHelp isOpen={opened === 'help'} onClose={() => setOpened(null)} />
      </WorkspaceContext>
    </ViewerContext>
  );
}

function Presence() {
  usePresence();
  return null;
}

/** Whether what is typed here leaves the machine in the clear. */
const isExposed = (): boolean =>
  location.protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$|\.localhost$/.test(location.hostname);

const isDark = (): boolean => document.documentElement.dataset.theme === 'dark';
