import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Failure, Notice } from '../../ui/index.ts';

/** A page that broke; the frame around it stays. */
export const PageFailure = ({ error, reset }: ErrorComponentProps) => (
  <Failure
    title="This page broke"
    message={error instanceof Error ? error.message : String(error)}
    onRetry={reset}
  />
);

export const NotFound = () => (
  <Notice icon="search" title="There is no such page">
    <Link to={'/' as never} className="underline">
      Back to the console
    </Link>
  </Notice>
);
