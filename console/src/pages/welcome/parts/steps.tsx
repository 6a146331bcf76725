import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useDocument } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { buttonClasses, Failure, SkeletonRows } from '../../../ui/index.ts';
import { WelcomeStateDocument } from '../documents.ts';
import { FirstKey } from './first-key.tsx';
import { ProviderForm } from './provider-form.tsx';
import { Step } from './step.tsx';

/** The provider and the first call. How far they are follows from what there is; nothing of it is stored. */
export function Steps() {
  const { data, error, isPending, refetch } = useDocument(WelcomeStateDocument, {});
  const workspace = useWorkspace();
  const [stays, setStays] = useState(false);
  const [added, setAdded] = useState<{ slug: string; model: string | null } | null>(null);
  const [isDone, setDone] = useState(false);
  if (error)
    return (
      <Failure title="What there is cannot be read" message={error.message} onRetry={() => void refetch()} />
    );
  if (isPending || !data) return <SkeletonRows rows={6} />;
  const own = (data.integrations?.data ?? []).find(({ aiProviderId }) => aiProviderId !== 'mock');
  const provider = added?.slug ?? own?.slug;
  const hasProvider = provider !== undefined || stays;
  const hasCalled = isDone || (data.logHistory?.data.length ?? 0) > 0;
  const model = added?.model ? `@${added.slug}/${added.model}` : '@mock/mock-1';
  return (
    <>
      <Step
        number={2}
        title="A provider"
        state={hasProvider ? 'done' : 'now'}
        note={provider ? `@${provider}` : stays ? '@mock, which answers without a key' : undefined}
      >
        {!hasProvider && (
          <ProviderForm kinds={data.providerKinds ?? []} onAdded={setAdded} onStay={() => setStays(true)} />
        )}
      </Step>
      <Step
        number={3}
        title="First call"
        state={hasCalled ? 'done' : hasProvider ? 'now' : 'later'}
        note={hasCalled ? 'it arrived' : undefined}
      >
        {hasProvider && (!hasCalled || isDone) && <FirstKey model={model} onSuccess={() => setDone(true)} />}
      </Step>
      {hasCalled && (
        <Link to={`/${workspace ?? '_'}/logs` as never} className={buttonClasses('primary', 'self-start')}>
          Open the console
        </Link>
      )}
    </>
  );
}
