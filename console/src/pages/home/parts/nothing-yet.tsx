import { Link } from '@tanstack/react-router';
import { useRange } from '../../../shell/range.ts';
import { Button, buttonClasses, Notice } from '../../../ui/index.ts';

/** A tenant, or a time, without calls. */
export function NothingYet() {
  const { choose } = useRange();
  return (
    <Notice
      icon="logs"
      title="No requests in this time"
      action={
        <>
          <Link to={'/welcome' as never} className={buttonClasses('primary')}>
            Get started
          </Link>
          <Button onClick={() => choose('30d')}>Look at the last 30 days</Button>
        </>
      }
    >
      A provider, a key and a first call: three steps, about two minutes. What is called shows here within a
      second.
    </Notice>
  );
}
