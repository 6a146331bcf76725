import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { initials } from '../../format/name.ts';
import { IconButton, Menu, say } from '../../ui/index.ts';
import { signOut } from '../session/door.ts';
import { setSignedOut } from '../session/signed-out.ts';
import { useViewer } from '../session/viewer.ts';
import { useShortcuts, useTheme, useZone } from '../stored.ts';

/** Who is signed in, and what this browser remembers. */
export function UserMenu({ onHelp }: { onHelp(): void }) {
  const { name } = useViewer();
  const [theme, setTheme] = useTheme();
  const [zone, setZone] = useZone();
  const [shortcuts, setShortcuts] = useShortcuts();
  const navigate = useNavigate();
  const leave = useSignOut();
  const nextTheme = ({ system: 'light', light: 'dark', dark: 'system' } as const)[theme];
  return (
    <Menu
      trigger={<IconButton icon="access" letters={initials(name)} label={`Signed in as ${name}`} />}
      entries={[
        { label: 'Get started', icon: 'check', onChoose: () => void navigate({ to: '/welcome' } as never) },
        'line',
        { label: `Theme: ${theme}`, icon: 'moon', note: 't', onChoose: () => setTheme(nextTheme) },
        {
          label: `Times: ${zone === 'utc' ? 'UTC' : 'local'}`,
          icon: 'clock',
          onChoose: () => setZone(zone === 'utc' ? 'local' : 'utc'),
        },
        { label: 'Keyboard', icon: 'info', note: '?', onChoose: onHelp },
        {
          label: `Single-key shortcuts: ${shortcuts}`,
          icon: 'key',
          onChoose: () => setShortcuts(shortcuts === 'on' ? 'off' : 'on'),
        },
        'line',
        { label: 'Sign out', icon: 'out', onChoose: leave },
      ]}
    />
  );
}

/** Ends the sign-in, and forgets all that was read with it. */
export function useSignOut(): () => void {
  const queries = useQueryClient();
  return () => {
    signOut().then(
      () => {
        setSignedOut(null);
        queries.clear();
      },
      (error: Error) => say('You are still signed in', { tone: 'bad', detail: error.message }),
    );
  };
}
