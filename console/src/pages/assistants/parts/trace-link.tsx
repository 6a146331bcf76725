import { Link } from '@tanstack/react-router';
import { useWorkspaceSlug } from '../../../shell/address.ts';

/** Leads to the calls of a trace, with what they cost. */
export function TraceLink({ id }: { id: string }) {
  const slug = useWorkspaceSlug();
  return (
    <Link
      to={`/${slug}/logs` as never}
      search={{ q: `trace:${id}` } as never}
      className="text-accent underline"
    >
      Logs and cost
    </Link>
  );
}
