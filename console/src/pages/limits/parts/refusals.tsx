import { Link } from '@tanstack/react-router';
import { relative } from '../../../format/time.ts';
import { useWorkspaceSlug } from '../../../shell/address.ts';
import { Banner } from '../../../ui/index.ts';
import type { LimitShownQuery } from '../documents.ts';
import { amount } from './policy.ts';

type Refused = NonNullable<LimitShownQuery['refused']>['data'][number];
export type Refusal = NonNullable<Refused['refusal']> & { id: string; createdAt: string };

/** The refusals by one limit, of the calls that were refused lately; the newest first. */
export const refusalsBy = (limitId: string, refused: readonly Refused[]): Refusal[] =>
  refused.flatMap(({ id, createdAt, refusal }) =>
    refusal?.limitId === limitId ? [{ ...refusal, id, createdAt }] : [],
  );

/** Which calls a limit has refused, and what to do where it is smaller than one of them. */
export function Refusals({ refusals }: { refusals: readonly Refusal[] }) {
  const slug = useWorkspaceSlug();
  const [last] = refusals;
  if (!last) return null;
  const { needed, value, unit, createdAt, id } = last;
  const isTooSmall = needed !== null && needed > value;
  return (
    <div className="px-4 pb-3 sm:px-6">
      <Banner tone={isTooSmall ? 'bad' : 'warn'}>
        Of the calls refused within a day, the last 100 at most, it has refused {refusals.length}, the newest{' '}
        <Link to={`/${slug}/logs` as never} search={{ log: id } as never} className="underline">
          {relative(createdAt, Date.now())}
        </Link>
        .
        {isTooSmall && (
          <>
            {' '}
            That call may come to {amount(needed, unit)}, which is more than the whole limit of{' '}
            {amount(value, unit)}: no call like it is ever let through, so that none is counted. Raise the
            amount, or have callers send a smaller max_tokens.
          </>
        )}
      </Banner>
    </div>
  );
}
