import { useDocument, useOperation } from '../../../data/use-document.ts';
import { relative } from '../../../format/time.ts';
import { mayAny, useViewer } from '../../../shell/session/viewer.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { useShortcuts, useTheme, useZone } from '../../../shell/stored.ts';
import { Button, Section, Segments, Status, say } from '../../../ui/index.ts';
import {
  DeleteSavedViewDocument,
  EndOwnSignInDocument,
  OwnSettingsDocument,
  type OwnSettingsQuery,
} from '../documents.ts';
import { OwnClients } from './own-clients.tsx';

/** What belongs to whoever is signed in: this browser, their sign-ins, and views that they may delete. */
export function Own() {
  const viewer = useViewer();
  const query = useDocument(OwnSettingsDocument, {
    user: viewer.id,
    mayViews: mayAny(viewer, ['logs.list', 'analytics.view']),
  });
  return (
    <div className="flex max-w-200 flex-col gap-4 py-4">
      <div className="px-4 sm:px-6">
        <Browser />
      </div>
      <Asked query={query} what="Your settings">
        {({ signIns, mcpGrants, savedViews }) => (
          <div className="flex flex-col gap-4 px-4 sm:px-6">
            <SignIns signIns={signIns?.data ?? []} />
            <OwnClients grants={mcpGrants?.data ?? []} />
            <Views views={savedViews?.data ?? []} />
          </div>
        )}
      </Asked>
    </div>
  );
}

function Browser() {
  const [theme, setTheme] = useTheme();
  const [zone, setZone] = useZone();
  const [shortcuts, setShortcuts] = useShortcuts();
  return (
    <Section title="This browser">
      <div className="flex flex-wrap gap-4 p-4">
        <Segments
          label="Theme"
          choices={{ system: 'As the system', light: 'Light', dark: 'Dark' }}
          value={theme}
          onChange={setTheme}
        />
        <Segments
          label="Times"
          choices={{ local: 'Local time', utc: 'UTC' }}
          value={zone}
          onChange={setZone}
        />
        <Segments
          label="Single-key shortcuts"
          choices={{ on: 'Shortcuts on', off: 'Shortcuts off' }}
          value={shortcuts}
          onChange={setShortcuts}
        />
      </div>
    </Section>
  );
}

const line = 'flex min-h-10 items-center gap-3 border-b border-line px-4 last:border-0';
const changes = [OwnSettingsDocument.name];

type OwnSignIn = NonNullable<OwnSettingsQuery['signIns']>['data'][number];

function SignIns({ signIns }: { signIns: readonly OwnSignIn[] }) {
  const end = useOperation(EndOwnSignInDocument, { changes, onDone: () => say('The sign-in has ended') });
  return (
    <Section title="Where you are signed in">
      <ul>
        {signIns.length === 0 && <li className={line}>With a key, whose sign-ins the page Access shows.</li>}
        {signIns.map(({ id, method, clientIp, userAgent, lastSeenAt, isCurrent }) => (
          <li key={id} className={line}>
            <span className="min-w-0 flex-1 truncate">
              {userAgent ?? method} <span className="text-muted">from {clientIp ?? 'somewhere'}</span>
            </span>
            <span className="text-muted">{relative(lastSeenAt, Date.now())}</span>
            {isCurrent ? (
              <Status tone="info">this one</Status>
            ) : (
              <Button look="quiet" onClick={() => end.mutate({ id })}>
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

type View = NonNullable<OwnSettingsQuery['savedViews']>['data'][number];

function Views({ views }: { views: readonly View[] }) {
  const remove = useOperation(DeleteSavedViewDocument, { changes, onDone: () => say('The view is deleted') });
  return (
    <Section title="Saved views">
      <ul>
        {views.length === 0 && <li className={line}>None yet; the page Logs saves them.</li>}
        {views.map(({ id, name, page, shared }) => (
          <li key={id} className={line}>
            <span className="min-w-0 flex-1 truncate">
              {name} <span className="text-muted">of {page}</span>
            </span>
            {shared && <span className="text-muted">shared</span>}
            <Button look="quiet" onClick={() => remove.mutate({ id })}>
              Delete {name}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
