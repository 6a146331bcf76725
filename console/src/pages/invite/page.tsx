import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { fieldErrors, GraphError } from '../../data/graph-error.ts';
import { run } from '../../data/run.ts';
import { takeSecret } from '../../data/secret.ts';
import { Mark } from '../../shell/frame/mark.tsx';
import { signIn, signOut } from '../../shell/session/door.ts';
import { setSignedIn } from '../../shell/session/signed-out.ts';
import { Banner, Button, Code, Notice, TextField } from '../../ui/index.ts';
import { AcceptInviteDocument, type AcceptInviteMutation } from './documents.ts';

type Accepted = AcceptInviteMutation['acceptInvite'];

/** Whoever opens an invite says who they are, and is signed in with that. */
export default function Invite() {
  const [token, setToken] = useState<string | null>();
  const [accepted, setAccepted] = useState<Accepted | null>(null);
  const navigate = useNavigate();
  const queries = useQueryClient();
  // The secret is taken once, also where React draws twice.
  useEffect(() => {
    const taken = takeSecret();
    setToken((before) => before ?? taken);
  }, []);
  const enter = () => navigate({ to: '/', replace: true } as never);

  async function onAccepted(answer: Accepted) {
    // Keys are in sight whatever becomes of the sign-in: nothing shows them again.
    if (answer.apiKeys.length > 0) setAccepted(answer);
    // Whoever was signed in here before is somebody else.
    await signOut();
    await signIn({ link: new URL(answer.signInLink).hash.slice(1) });
    setSignedIn();
    queries.clear();
    if (answer.apiKeys.length === 0) void enter();
  }

  return (
    <main className="mx-auto flex min-h-dvh max-w-[480px] flex-col gap-4 px-4 py-8">
      <header className="flex items-center gap-3 text-lead font-[560]">
        <Mark size={24} /> Sluice
      </header>
      {accepted ? (
        <Keys of={accepted} onDone={() => void enter()} />
      ) : token === null ? (
        <Notice icon="link" title="The link is not whole">
          Open it as it was sent to you: what follows the last slash belongs to it.
        </Notice>
      ) : (
        token && <Accept token={token} onAccepted={onAccepted} />
      )}
    </main>
  );
}

function Accept({ token, onAccepted }: { token: string; onAccepted(answer: Accepted): Promise<void> }) {
  const [problem, setProblem] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { at, rest } = fieldErrors(problem instanceof GraphError ? problem : null, ['firstName', 'lastName']);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const names = Object.fromEntries(new FormData(event.currentTarget)) as Record<
      'firstName' | 'lastName',
      string
    >;
    setBusy(true);
    setProblem(null);
    try {
      await onAccepted((await run(AcceptInviteDocument, { token, ...names })).acceptInvite);
    } catch (error) {
      setProblem(error as Error);
    } finally {
      setBusy(false);
    }
  }

  const refused = problem instanceof GraphError ? rest : (problem?.message ?? null);
  const field = (name: 'firstName' | 'lastName', label: string, autoComplete: string) => (
    <TextField
      label={label}
      name={name}
      required
      maxLength={255}
      autoComplete={autoComplete}
      autoFocus={name === 'firstName'}
      error={at(name)}
    />
  );
  return (
    <>
      <h1 className="hero">You are invited</h1>
      <p className="text-lead text-muted">Say what you are called, and you are in.</p>
      <form onSubmit={submit} className="flex flex-col gap-3">
        {refused && (
          <Banner tone="bad">
            {refused} A link works once, for seven days; whoever sent it can send you another.
          </Banner>
        )}
        {field('firstName', 'First name', 'given-name')}
        {field('lastName', 'Last name', 'family-name')}
        <Button type="submit" look="primary" isBusy={isBusy} className="self-start">
          Accept
        </Button>
      </form>
    </>
  );
}

function Keys({ of: { email, apiKeys }, onDone }: { of: Accepted; onDone(): void }) {
  return (
    <>
      <h1 className="hero">You are in</h1>
      <p className="text-lead text-muted">
        These keys of {email} are shown this once. Keep them where your programs find them.
      </p>
      {apiKeys.map(({ id, key, workspaceName }) => (
        <section key={id} className="flex flex-col gap-1">
          <h2 className="text-meta font-[560]">{workspaceName}</h2>
          <Code text={key} label={`key of ${workspaceName}`} />
        </section>
      ))}
      <Button look="primary" className="self-start" onClick={onDone}>
        Open the console
      </Button>
    </>
  );
}
