import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { GraphError } from '../../data/graph-error.ts';
import { hourAndMinute } from '../../format/time.ts';
import { Banner, Button, Failure, Notice, SkeletonRows } from '../../ui/index.ts';
import { useRange } from '../range.ts';
import { useZone } from '../stored.ts';

type AskedProps<Answer> = {
  query: Pick<UseQueryResult<Answer, GraphError>, 'data' | 'error' | 'dataUpdatedAt' | 'refetch'>;
  /** What is asked for, as it stands in "… cannot be shown". */
  what: string;
  /** What stands there until the answer comes; lines of a list unless another is given. */
  waiting?: ReactNode;
  children(answer: Answer): ReactNode;
};

/**
 * What was asked for, or why it is not there: on its way, refused for want of a permission, or failed. What was there before a
 * failure stays in sight, with its time.
 */
export function Asked<Answer>({ query, what, waiting, children }: AskedProps<Answer>) {
  const { data, error, dataUpdatedAt, refetch } = query;
  const [zone] = useZone();
  const retry = () => void refetch();
  // What somebody may not see any more does not stay in sight.
  if (data === undefined || error?.code === 'FORBIDDEN')
    return error ? <Refused error={error} what={what} onRetry={retry} /> : (waiting ?? <SkeletonRows />);
  return (
    <>
      {error && (
        <div className="px-4 pb-3 sm:px-6">
          <Banner tone="warn" action={<Button onClick={retry}>Retry</Button>}>
            {error.message} This is as of {hourAndMinute(dataUpdatedAt, zone)}.
          </Banner>
        </div>
      )}
      {children(data)}
    </>
  );
}

/** Why something cannot be shown, and what helps. */
export function Refused({ error, what, onRetry }: { error: GraphError; what: string; onRetry(): void }) {
  if (error.code === 'FORBIDDEN') return <NoPermission message={error.message} what={what} />;
  if (error.code === 'OPERATION_TIMEOUT') return <TooMuch message={error.message} />;
  return <Failure title={`${what} cannot be shown`} message={error.message} onRetry={onRetry} />;
}

/** The message of the graph names the scope. */
const NoPermission = ({ message, what }: { message: string; what: string }) => (
  <Notice icon="keys" title={`You have no permission to see ${what.toLowerCase()}`}>
    <p>{message}</p>
    <p>Owners and admins of the organisation give permissions, on the page Access.</p>
  </Notice>
);

function TooMuch({ message }: { message: string }) {
  const { choose } = useRange();
  return (
    <Notice
      icon="clock"
      title="This takes too long"
      action={
        <>
          <Button onClick={() => choose('1h')}>Last hour</Button>
          <Button onClick={() => choose('24h')}>Last 24 hours</Button>
        </>
      }
    >
      {message} Narrow the time.
    </Notice>
  );
}
