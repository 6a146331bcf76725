import { useState } from 'react';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { dateAndTime } from '../../../format/time.ts';
import { useGo } from '../../../shell/address.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { useZone } from '../../../shell/stored.ts';
import { Banner, Button, Code, DeleteButton, Notice, Section, say, Tabs } from '../../../ui/index.ts';
import { Page } from '../../../ui/page.tsx';
import {
  DeleteProviderDocument,
  ProviderDetailDocument,
  ProviderKindsDocument,
  TestProviderDocument,
  UpdateProviderDocument,
} from '../documents.ts';
import { draftOf, inputOf, type Kind, missingIn, type Stored } from './draft.ts';
import { ModelChoice } from './model-choice.tsx';
import { ProviderForm } from './provider-form.tsx';
import { TestResult } from './test-result.tsx';

/** One connection: whether it works, its models, its settings. */
export function ProviderDetail({ id }: { id: string }) {
  const query = useDocument(ProviderDetailDocument, { id });
  const kinds = useDocument(ProviderKindsDocument, {}, { freshFor: 3_600_000 });
  const stored = query.data?.integration;
  const kind = kinds.data?.providerKinds?.find((known) => known.id === stored?.aiProviderId);
  return (
    <Page
      title={stored?.name ?? id}
      answer={stored && `${kind?.name ?? stored.aiProviderId}, called as @${stored.slug}.`}
      actions={stored && <DeleteProvider stored={stored} />}
    >
      <Asked query={query} what="The provider">
        {({ integration }) =>
          integration ? (
            kind && <Views key={integration.lastUpdatedAt} stored={integration} kind={kind} />
          ) : (
            <Notice icon="search" title="There is no such provider" />
          )
        }
      </Asked>
    </Page>
  );
}

function Views({ stored, kind }: { stored: Stored; kind: Kind }) {
  const [view, setView] = useState('settings');
  const tabs = [
    { value: 'settings', label: 'Settings', panel: <Settings stored={stored} kind={kind} /> },
    { value: 'models', label: 'Models', note: stored.modelCount, panel: <ModelChoice stored={stored} /> },
    { value: 'call', label: 'Call it', panel: <CallIt stored={stored} /> },
  ];
  return <Tabs label="Views of the provider" tabs={tabs} value={view} onChange={setView} />;
}

function Settings({ stored, kind }: { stored: Stored; kind: Kind }) {
  const [draft, setDraft] = useState(() => draftOf(stored));
  const [zone] = useZone();
  const { refusal } = useMay('organisation_integrations.update', 'workspace_integrations.update');
  const test = useOperation(TestProviderDocument);
  const save = useOperation(UpdateProviderDocument, {
    changes: ['ProviderDetail', 'Providers'],
    onDone: ({ updateIntegration: { name } }) => say(`${name} is saved`),
  });
  const input = inputOf(draft, stored.maskedKey);
  const missing = refusal ?? missingIn(draft, kind);
  const error = save.error ?? test.error;
  return (
    <div className="flex max-w-160 flex-col gap-4 px-4 py-4 sm:px-6">
      <ProviderForm kind={kind} draft={draft} onChange={setDraft} error={error} />
      {error && <Banner tone="bad">{error.message}</Banner>}
      {test.data && <TestResult result={test.data.testIntegration} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          refusal={missing}
          isBusy={test.isPending}
          onClick={() => test.mutate({ id: stored.id, input })}
        >
          Test
        </Button>
        <Button
          look="primary"
          refusal={missing}
          isBusy={save.isPending}
          onClick={() =>
            save.mutate({
              id: stored.id,
              input: { ...input, name: draft.name, description: draft.description || null },
            })
          }
        >
          Save
        </Button>
        <span className="text-meta text-faint">Changed {dateAndTime(stored.lastUpdatedAt, zone)}</span>
      </div>
    </div>
  );
}

function CallIt({ stored: { slug, models } }: { stored: Stored }) {
  const model = models.find(({ enabled }) => enabled)?.slug ?? '<model>';
  const address = new URL('../v1/chat/completions', document.baseURI).href;
  const body = JSON.stringify({ model: `@${slug}/${model}`, messages: [{ role: 'user', content: 'Hello' }] });
  const text = `curl ${address} \\\n  -H "x-gateway-api-key: $KEY" -H "content-type: application/json" \\\n  -d '${body}'`;
  return (
    <div className="max-w-200 px-4 py-4 sm:px-6">
      <Section title="With a key of a workspace that may use it">
        <Code text={text} label="call by curl" className="m-3" />
      </Section>
    </div>
  );
}

function DeleteProvider({ stored: { id, name, slug, workspaceCount } }: { stored: Stored }) {
  const go = useGo();
  const { refusal } = useMay('organisation_integrations.delete', 'workspace_integrations.delete');
  const remove = useOperation(DeleteProviderDocument, {
    changes: ['Providers'],
    onDone() {
      say(`${name} is deleted`);
      go('providers');
    },
  });
  return (
    <DeleteButton
      name={name}
      consequence={`${workspaceCount} workspaces may use it. Calls that name @${slug} are refused at once.`}
      refusal={refusal}
      act={remove}
      onConfirm={() => remove.mutate({ id })}
    />
  );
}
