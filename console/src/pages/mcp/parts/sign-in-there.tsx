import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Banner, buttonClasses } from '../../../ui/index.ts';
import { McpServerShownDocument } from '../documents.ts';

/** The way to the sign-in of a server, in a tab of its own: whoever comes back finds the page and the arguments as they were. */
export function SignInThere({ address }: { address: string }) {
  const queries = useQueryClient();
  useEffect(() => {
    const readAnew = () => {
      if (!document.hidden) void queries.invalidateQueries({ queryKey: [McpServerShownDocument.name] });
    };
    document.addEventListener('visibilitychange', readAnew);
    // Of two windows side by side none is ever hidden.
    addEventListener('focus', readAnew);
    return () => {
      document.removeEventListener('visibilitychange', readAnew);
      removeEventListener('focus', readAnew);
    };
  }, [queries]);
  return (
    <Banner
      tone="warn"
      action={
        <a href={address} target="_blank" rel="noreferrer" className={buttonClasses('plain')}>
          Sign in there
        </a>
      }
    >
      This server wants you to sign in there yourself. Come back to this page then, and repeat what you did.
      The way is open for ten minutes; where it was refused or has closed, repeating it opens another one.
    </Banner>
  );
}
