import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { GraphError } from '../../../data/graph-error.ts';
import { run } from '../../../data/run.ts';
import { signIn, signOut } from '../../../shell/session/door.ts';
import { Banner, Button, Code, TextField } from '../../../ui/index.ts';
import { BecomeOwnerDocument } from '../documents.ts';

/** Who opens the link of the set-up says who they are, and is signed in with that. */
export function BecomeOwner({ token, onDone }: { token: string; onDone(): void }) {
  const queries = useQueryClient();
  const [problem, setProblem] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Record<
      'email' | 'firstName' | 'lastName',
      string
    >;
    setBusy(true);
    setProblem(null);
    try {
      // Whoever was signed in before is not the owner.
      await signOut();
      const { createOwner } = await run(BecomeOwnerDocument, { token, ...given });
      await signIn({ link: new URL(createOwner.signInLink).hash.slice(1) });
      onDone();
      await queries.invalidateQueries();
    } catch (error) {
      setProblem(error as Error);
    } finally {
      setBusy(false);
    }
  }

  const param = problem instanceof GraphError ? (problem.param?.split('.').at(-1) ?? null) : null;
  const errorOf = (name: string) => (param === name ? (problem?.message ?? null) : null);
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {problem && (param === null || param === 'token') && (
        <Banner tone="bad">
          {problem.message} A link works once, for 15 minutes; this prints another where Sluice runs:
          <Code className="mt-2" label="command" text="npm run console:link" />
        </Banner>
      )}
      <TextField
        label="Email"
        name="email"
        type="email"
        required
        maxLength={254}
        autoComplete="email"
        autoFocus
        error={errorOf('email')}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="First name"
          name="firstName"
          required
          maxLength={255}
          autoComplete="given-name"
          error={errorOf('firstName')}
        />
        <TextField
          label="Last name"
          name="lastName"
          required
          maxLength={255}
          autoComplete="family-name"
          error={errorOf('lastName')}
        />
      </div>
      <Button type="submit" look="primary" isBusy={isBusy} className="self-start">
        Continue
      </Button>
    </form>
  );
}
