import { Link } from '@tanstack/react-router';
import { useWorkspaceSlug } from '../../../shell/address.ts';
import { Section, Status } from '../../../ui/index.ts';
import type { Concern } from './concerns.ts';

/** What somebody should see to; nothing where there is nothing. */
export function Attention({ concerns }: { concerns: readonly Concern[] }) {
  const slug = useWorkspaceSlug();
  if (concerns.length === 0) return null;
  return (
    <Section title="Needs attention">
      <ul className="flex flex-wrap gap-x-6 gap-y-1 px-4 py-2">
        {concerns.map(({ id, tone, text, to, search }) => (
          <li key={id}>
            <Link to={`/${slug}/${to}` as never} search={(search ?? {}) as never} className="hover:underline">
              <Status tone={tone}>{text}</Status>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
