import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { takeSecret } from '../../data/secret.ts';
import { Banner, Button, buttonClasses, Code, Segments, TextField } from '../../ui/index.ts';
import { Mark } from '../frame/mark.tsx';
import { signIn, signInMethods } from './door.ts';
import { setSignedIn } from './signed-out.ts';

type Way = 'key' | 'client';

/** What the service says to whoever has not been here before: no reason to speak of. */
const FIRST = 'Sign in first.';

/** Over the page, whose state stays: a link, a key, or the organisation's identity provider. */
export function SignIn({ reason }: { reason: string | null }) {
  const queries = useQueryClient();
  const [way, setWay] = useState<Way>('key');
  const [problem, setProblem] = useState(reason === FIRST ? null : reason);
  const [isBusy, setBusy] = useState(false);
  const methods = useQuery({ queryKey: ['sign-in'], queryFn: signInMethods, retry: false });
  const isLinkTried = useRef(false);

  async function attempt(shown: Parameters<typeof signIn>[0]) {
    setBusy(true);
    setProblem(null);
    try {
      await signIn(shown);
      setSignedIn();
      await queries.invalidateQueries();
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the link of the address is tried once
  useEffect(() => {
    if (isLinkTried.current) return;
    isLinkTried.current = true;
    const link = takeSecret();
    if (link) void attempt({ link });
  }, []);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    const trimmed = (name: string) => (given[name] ?? '').trim();
    void attempt(
      way === 'key'
        ? { key: trimmed('key') }
        : { client_id: trimmed('client_id'), client_secret: trimmed('client_secret') },
    );
  }

  return (
    <main className="fixed inset-0 z-40 grid place-items-center overflow-y-auto bg-bg p-4">
      <div className="w-full max-w-[400px]">
        <div className="mb-6 flex items-center gap-2 text-lead font-[560]">
          <Mark /> Sluice
        </div>
        <h1 className="text-title font-[560]">Sign in</h1>
        <p className="mt-1 mb-4 text-muted">
          Open a link that you were given, or show a credential. It stays in this browser for 12 hours without
          use, in a cookie that no script can read.
        </p>
        {problem && (
          <div className="mb-4">
            <Banner tone="bad">{problem}</Banner>
          </div>
        )}
        {methods.data && !methods.data.owner_exists && (
          <div className="mb-4 flex flex-col gap-2">
            <Banner tone="info">
              Nobody owns this installation yet. Where it runs, print a link for its owner:
            </Banner>
            <Code text="npm run console:link" label="command" />
          </div>
        )}
        {methods.data?.oidc && (
          <a className={buttonClasses('primary', 'mb-4 w-full')} href="sign-in/oidc">
            Sign in with your identity provider
          </a>
        )}
        <form onSubmit={submit} className="flex flex-col gap-3">
          <Segments<Way>
            label="What you have"
            value={way}
            onChange={setWay}
            choices={{ key: 'API key', client: 'Service account' }}
          />
          {way === 'key' ? (
            <TextField
              key="key"
              label="API key"
              name="key"
              type="password"
              required
              maxLength={512}
              autoComplete="current-password"
              hint="The sign-in has the scopes of the key, and ends with it."
            />
          ) : (
            <>
              <TextField
                label="Client id"
                name="client_id"
                required
                maxLength={512}
                autoComplete="username"
              />
              <TextField
                label="Client secret"
                name="client_secret"
                type="password"
                required
                maxLength={512}
                autoComplete="current-password"
              />
            </>
          )}
          <Button type="submit" look={methods.data?.oidc ? 'plain' : 'primary'} isBusy={isBusy}>
            Sign in
          </Button>
        </form>
        <p className="mt-6 text-meta text-faint">
          No way in? Owners and admins make you a link on the page Access. Where Sluice runs,{' '}
          <code>npm run console:link</code> prints one. Each signs in once.
        </p>
      </div>
    </main>
  );
}
