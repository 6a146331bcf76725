import { Link } from '@tanstack/react-router';
import { relative } from '../../../format/time.ts';
import { useWorkspaceSlug } from '../../../shell/address.ts';
import { Section, Status } from '../../../ui/index.ts';

type Key = { id: string; name: string; expiresAt: string | null };

/** Milliseconds before the end of a key from which on it is to be seen to. */
const SOON_MS = 14 * 24 * 3_600_000;

/** What somebody should see to; nothing where there is nothing. */
export function Attention({ keys, isFailing }: { keys: readonly Key[]; isFailing: boolean }) {
  const slug = useWorkspaceSlug();
  const now = Date.now();
  const ending = keys
    .flatMap(({ id, name, expiresAt }) =>
      expiresAt === null ? [] : [{ id, name, ends: Date.parse(expiresAt) }],
    )
    .filter(({ ends }) => ends - now < SOON_MS)
    .sort((one, other) => one.ends - other.ends)
    .slice(0, 5);
  if (ending.length === 0 && !isFailing) return null;
  return (
    <Section title="Needs attention">
      <ul className="flex flex-wrap gap-x-6 gap-y-1 px-4 py-2">
        {isFailing && (
          <li>
            <Link
              to={`/${slug}/logs` as never}
              search={{ q: 'error:yes' } as never}
              className="hover:underline"
            >
              <Status tone="bad">Requests fail more often than usual</Status>
            </Link>
          </li>
        )}
        {ending.map(({ id, name, ends }) => (
          <li key={id}>
            <Link to={`/${slug}/keys/${id}` as never} className="hover:underline">
              <Status tone={ends < now ? 'bad' : 'warn'}>
                Key {name} {ends < now ? 'expired' : 'expires'} {relative(ends, now)}
              </Status>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
