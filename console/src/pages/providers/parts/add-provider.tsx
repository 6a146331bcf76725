import { useState } from 'react';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { useGo } from '../../../shell/address.ts';
import { Banner, Button, Dialog, say, TextField } from '../../../ui/index.ts';
import { CreateProviderDocument, ProviderKindsDocument, TestProviderDocument } from '../documents.ts';
import { blank, type Draft, inputOf, type Kind, missingIn } from './draft.ts';
import { ProviderForm } from './provider-form.tsx';
import { TestResult } from './test-result.tsx';

/** Kinds that most people look for, in the order in which they are offered. */
const usual = ['openai', 'anthropic', 'google', 'azure-openai', 'bedrock', 'ollama', 'mistral-ai', 'groq'];

/** From a kind over a try to a provider that answers. */
export function AddProvider({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [kind, setKind] = useState<Kind | null>(null);
  const [draft, setDraft] = useState<Draft>(blank);
  const workspaceId = useWorkspace();
  const go = useGo();
  const level = workspaceId === null ? {} : { workspaceId };
  const test = useOperation(TestProviderDocument);
  const create = useOperation(CreateProviderDocument, {
    changes: ['Providers'],
    onDone({ createIntegration: { slug, name } }) {
      say(`${name} can be called`, { detail: `As @${slug} in model names and configs.` });
      close();
      go(`providers/${slug}`);
    },
  });
  const close = () => {
    setKind(null);
    setDraft(blank);
    test.reset();
    create.reset();
    onClose();
  };
  if (!kind)
    return (
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title="Add a provider"
        description="Which one is it?"
        size="large"
      >
        {isOpen && (
          <KindWall
            onChoose={(chosen) => {
              setKind(chosen);
              setDraft({ ...blank, name: chosen.name });
            }}
          />
        )}
      </Dialog>
    );
  const missing = missingIn(draft, kind);
  const error = create.error ?? test.error;
  const input = { aiProviderId: kind.id, ...inputOf(draft), ...level };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={`Add ${kind.name}`}
      actions={
        <>
          <Button look="quiet" onClick={() => setKind(null)}>
            Another kind
          </Button>
          <span className="flex-1" />
          <Button refusal={missing} isBusy={test.isPending} onClick={() => test.mutate({ input })}>
            Test
          </Button>
          <Button
            look="primary"
            refusal={missing}
            isBusy={create.isPending}
            onClick={() =>
              create.mutate({ input: { ...input, name: draft.name, description: draft.description || null } })
            }
          >
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <ProviderForm kind={kind} draft={draft} onChange={setDraft} error={error} />
        {error && <Banner tone="bad">{error.message}</Banner>}
        {test.data && <TestResult result={test.data.testIntegration} />}
      </div>
    </Dialog>
  );
}

function KindWall({ onChoose }: { onChoose(kind: Kind): void }) {
  const [search, setSearch] = useState('');
  const { data } = useDocument(ProviderKindsDocument, {}, { freshFor: 3_600_000 });
  const wanted = search.trim().toLowerCase();
  const kinds = (data?.providerKinds ?? [])
    .filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(wanted))
    .sort((one, other) => place(one) - place(other));
  return (
    <div className="flex flex-col gap-3">
      <TextField
        label="Search"
        type="search"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
        placeholder={`One of ${data?.providerKinds?.length ?? ''} kinds`}
      />
      <ul className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        {kinds.map((kind) => (
          <li key={kind.id}>
            <button
              type="button"
              onClick={() => onChoose(kind)}
              className="min-h-11 w-full truncate rounded-control border border-line bg-surface px-3 text-left transition-colors hover:bg-hover"
            >
              {kind.name}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The usual ones first. */
const place = ({ id }: Kind): number => (usual.includes(id) ? usual.indexOf(id) : usual.length);
