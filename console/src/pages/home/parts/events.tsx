import { Link } from '@tanstack/react-router';
import { deed } from '../../../format/deed.ts';
import { clock, hourAndMinute } from '../../../format/time.ts';
import { useWorkspaceSlug } from '../../../shell/address.ts';
import { useZone } from '../../../shell/stored.ts';
import { Section, Status } from '../../../ui/index.ts';
import type { HomeQuery } from '../documents.ts';

type Log = NonNullable<HomeQuery['failures']>['data'][number];
type Entry = NonNullable<HomeQuery['changes']>['records'][number];

/** What failed last, each a way to its log. */
export function Failures({ logs }: { logs: readonly Log[] }) {
  const [zone] = useZone();
  const slug = useWorkspaceSlug();
  return (
    <Section title="Last failures">
      {logs.length === 0 && <p className="px-4 py-3 text-muted">Nothing has failed.</p>}
      <ul className="py-1">
        {logs.map(({ id, createdAt, responseStatusCode, aiModel, providerSlug }) => (
          <li key={id}>
            <Link
              to={`/${slug}/logs/${id}` as never}
              className="flex min-h-8 items-center gap-3 px-4 outline-offset-[-2px] transition-colors hover:bg-hover"
            >
              <span className="mono text-muted">{clock(createdAt, zone)}</span>
              <Status tone="bad">{responseStatusCode}</Status>
              <span className="mono min-w-0 flex-1 truncate">{aiModel ?? 'no model'}</span>
              <span className="mono truncate text-muted">{providerSlug ? `@${providerSlug}` : ''}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Who changed what last. */
export function Changes({ entries }: { entries: readonly Entry[] }) {
  const [zone] = useZone();
  const slug = useWorkspaceSlug();
  return (
    <Section
      title="Last changes"
      actions={
        <Link to={`/${slug}/audit` as never} className="text-meta text-accent hover:underline">
          All changes
        </Link>
      }
    >
      {entries.length === 0 && (
        <p className="px-4 py-3 text-muted">Nobody has changed anything in this time.</p>
      )}
      <ul className="py-1">
        {entries.map((entry) => (
          <li key={entry.id} className="flex min-h-8 items-center gap-3 px-4">
            <span className="mono text-muted">{hourAndMinute(entry.timestamp, zone)}</span>
            <span className="min-w-0 flex-1 truncate">
              {entry.userName ?? 'Somebody'} {deed(entry)}
            </span>
            {entry.outcome !== 'success' && <Status tone="bad">{entry.outcome}</Status>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
