import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { GraphError } from '../../data/graph-error.ts';
import { takeSecret } from '../../data/secret.ts';
import { WorkspaceContext } from '../../data/workspace.ts';
import { Mark } from '../../shell/frame/mark.tsx';
import { setSignedIn, setSignedOut } from '../../shell/session/signed-out.ts';
import { useViewerQuery, ViewerContext } from '../../shell/session/viewer.ts';
import { buttonClasses, Failure } from '../../ui/index.ts';
import { BecomeOwner } from './parts/become-owner.tsx';
import { Step } from './parts/step.tsx';
import { Steps } from './parts/steps.tsx';

function greeting(): string {
  const hour = new Date().getHours();
  return hour < 5 ? 'Good night' : hour < 12 ? 'Good morning' : hour < 18 ? 'Good afternoon' : 'Good evening';
}

/** From nothing to the first call that arrives: somebody who owns the place, a provider, a key. */
export default function Welcome() {
  const [secret, setSecret] = useState<string | null>(null);
  const [isRead, setRead] = useState(false);
  // The secret is taken once, also where React draws twice.
  useEffect(() => {
    const taken = takeSecret();
    if (taken) setSecret(taken);
    setRead(true);
  }, []);
  const { data: viewer, error, isPending, refetch } = useViewerQuery(null);
  const isUnknown = error instanceof GraphError && error.code === 'UNAUTHENTICATED';
  useEffect(() => {
    if (!isRead) return;
    if (isUnknown && secret === null) setSignedOut(null);
    else setSignedIn();
  }, [isRead, isUnknown, secret]);

  if (error && !isUnknown)
    return (
      <Failure
        title="The console cannot ask who you are"
        message={error.message}
        onRetry={() => void refetch()}
      />
    );
  const isOwnerToBe = secret !== null;
  return (
    <main className="mx-auto flex min-h-dvh max-w-[760px] flex-col gap-4 px-4 py-8">
      <header className="flex items-center gap-3">
        <Mark size={24} />
        <span className="flex-1 text-lead font-[560]">Sluice</span>
        {viewer && (
          <Link to={'/' as never} className={buttonClasses('quiet')}>
            Skip to console
          </Link>
        )}
      </header>
      <h1 className="hero mt-2">{greeting()}. Three steps, about two minutes.</h1>
      {isOwnerToBe ? (
        <>
          <Step number={1} title="You" state="now" note="You become the owner of this installation.">
            <BecomeOwner token={secret} onDone={() => setSecret(null)} />
          </Step>
          <Step number={2} title="A provider" state="later" />
          <Step number={3} title="First call" state="later" />
        </>
      ) : (
        !isPending &&
        viewer && (
          <ViewerContext value={viewer}>
            <WorkspaceContext value={viewer.workspaces[0]?.slug ?? null}>
              <Step
                number={1}
                title="You"
                state="done"
                note={`${viewer.name}, ${viewer.organisation.name}`}
              />
              <Steps />
            </WorkspaceContext>
          </ViewerContext>
        )
      )}
    </main>
  );
}
