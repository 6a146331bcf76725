import { CSPProvider } from '@base-ui/react/csp-provider';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { GraphError } from '../data/graph-error.ts';
import { whenRefused } from '../data/stream.ts';
import { router } from '../router.tsx';
import { Toasts } from '../ui/index.ts';
import { loadAnew } from './load-anew.ts';
import { SignIn } from './session/sign-in.tsx';
import { setSignedOut, useSignedOut } from './session/signed-out.ts';

/** A refusal for want of a sign-in, wherever it happens, asks for one; the page below keeps its state. */
function onError(error: unknown): void {
  if (error instanceof GraphError && error.code === 'UNAUTHENTICATED') setSignedOut(error.message);
}

/** A question that the service does not know is of another release. What somebody has filled in is not given up for that. */
function onUnanswered(error: unknown): void {
  if (error instanceof GraphError && error.code === 'DOCUMENT_NOT_TRUSTED') loadAnew();
  else onError(error);
}

/** What another try may change. */
const passing = new Set(['OFFLINE', 'STORE_UNAVAILABLE', 'UNREADABLE']);

/** What the graph has answered. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: onUnanswered }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && error instanceof GraphError && passing.has(error.code),
      refetchOnWindowFocus: false,
    },
  },
});

// What somebody may do has changed: everything in sight is asked for again, and what is gone says so.
whenRefused((error) => {
  if (error.code === 'UNAUTHENTICATED') setSignedOut(error.message);
  else void queries.invalidateQueries();
});

export function App() {
  const signedOut = useSignedOut();
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <div inert={signedOut !== null}>
          <RouterProvider router={router} />
        </div>
        {signedOut && <SignIn reason={signedOut.reason} />}
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  );
}
