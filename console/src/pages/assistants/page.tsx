import { useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { useWorkspace } from '../../data/workspace.ts';
import { dateAndTime } from '../../format/time.ts';
import { useGo, useSearch } from '../../shell/address.ts';
import { useMay, useViewer } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { WorkspaceFirst } from '../../shell/states/workspace-first.tsx';
import { useZone } from '../../shell/stored.ts';
import { Button, Code, type Column, Notice, Page, Table, Tabs } from '../../ui/index.ts';
import { type AssistantRowFragment, AssistantsDocument } from './documents.ts';
import { Batches } from './library/batches.tsx';
import { Files } from './library/files.tsx';
import { Sentence } from './library/sentence.tsx';
import { Stores } from './library/stores.tsx';
import { AssistantForm } from './parts/assistant-form.tsx';

export { AssistantDetail as Detail } from './detail.tsx';

/** What is this run doing? */
export default function Assistants() {
  const workspace = useWorkspace();
  const { kind } = useViewer();
  if (workspace !== null || kind.startsWith('workspace')) return <OfWorkspace />;
  return (
    <WorkspaceFirst
      title="Assistants"
      path="assistants"
      icon="assistant"
      answer="Each workspace has assistants of its own."
      question="Whose assistants?"
    >
      Assistants, their threads and files belong to the workspace whose keys call them.
    </WorkspaceFirst>
  );
}

const tabs = [
  { value: 'assistants', label: 'Assistants', panel: <AssistantList /> },
  { value: 'files', label: 'Files', panel: <Files /> },
  { value: 'stores', label: 'Vector stores', panel: <Stores /> },
  { value: 'batches', label: 'Batches', panel: <Batches /> },
];

function OfWorkspace() {
  const [isMaking, setMaking] = useState(false);
  const [{ view = 'assistants' }, change] = useSearch();
  const { refusal } = useMay('completions.write');
  return (
    <Page
      title="Assistants"
      answer="What programs of the Assistants and Batch APIs keep in this workspace."
      actions={
        <Button look="primary" icon="plus" refusal={refusal} onClick={() => setMaking(true)}>
          New assistant
        </Button>
      }
    >
      <Tabs
        label="Assistants"
        tabs={tabs}
        value={view}
        onChange={(chosen) => change({ view: chosen, open: null })}
      />
      {isMaking && <AssistantForm assistant={null} onClose={() => setMaking(false)} />}
    </Page>
  );
}

function AssistantList() {
  const query = useDocument(AssistantsDocument, {});
  return (
    <Asked query={query} what="Assistants">
      {({ assistants }) =>
        !assistants || assistants.data.length === 0 ? (
          <Notice icon="assistant" title="No assistant yet">
            <p className="pb-3">Make one here, or with a program of the Assistants API:</p>
            <Code label="program" text={program()} />
          </Notice>
        ) : (
          <>
            <Sentence of={assistants} noun="assistant" more="a row leads to its threads and runs" />
            <AssistantTable rows={assistants.data} />
          </>
        )
      }
    </Asked>
  );
}

const program = (): string =>
  [
    `client = OpenAI(base_url="${new URL('../v1', document.baseURI).href}", api_key=KEY)`,
    'client.beta.assistants.create(model="@mock/mock-1", name="Helper")',
  ].join('\n');

function AssistantTable({ rows }: { rows: readonly AssistantRowFragment[] }) {
  const go = useGo();
  const [zone] = useZone();
  const columns: Column<AssistantRowFragment>[] = [
    { key: 'name', head: 'Name', cell: ({ name, id }) => name ?? id },
    { key: 'model', head: 'Model', isMono: true, cell: ({ model }) => model },
    { key: 'tools', head: 'Tools', isMono: true, cell: toolsOf },
    { key: 'about', head: 'About', cell: ({ description }) => description },
    {
      key: 'changed',
      head: 'Changed',
      align: 'end',
      cell: ({ lastUpdatedAt }) => dateAndTime(lastUpdatedAt * 1000, zone),
    },
  ];
  return (
    <Table
      label="Assistants"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ id }) => go(`assistants/${id}`)}
      narrow={(row) => ({ lead: row.name ?? row.id, side: toolsOf(row), meta: row.model })}
    />
  );
}

type Tool = { type?: string; function?: { name?: string } };
const toolsOf = ({ tools }: AssistantRowFragment): string =>
  (Array.isArray(tools) ? (tools as Tool[]) : [])
    .map(({ type, function: called }) => called?.name ?? type ?? '')
    .join(', ') || 'none';
