import { useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { useWorkspace } from '../../data/workspace.ts';
import { counted } from '../../format/number.ts';
import { dateAndTime } from '../../format/time.ts';
import { useGo } from '../../shell/address.ts';
import { useMay, useViewer } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { WorkspaceFirst } from '../../shell/states/workspace-first.tsx';
import { useZone } from '../../shell/stored.ts';
import { Button, Code, type Column, Notice, Page, Table } from '../../ui/index.ts';
import { type AssistantRowFragment, AssistantsDocument } from './documents.ts';
import { AssistantForm } from './parts/assistant-form.tsx';

export { AssistantDetail as Detail } from './detail.tsx';

/** What is this run doing? */
export default function Assistants() {
  const workspace = useWorkspace();
  const { kind } = useViewer();
  if (workspace !== null || kind.startsWith('workspace')) return <AssistantList />;
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

function AssistantList() {
  const [isMaking, setMaking] = useState(false);
  const { refusal } = useMay('completions.write');
  const query = useDocument(AssistantsDocument, {});
  const make = (
    <Button look="primary" icon="plus" refusal={refusal} onClick={() => setMaking(true)}>
      New assistant
    </Button>
  );
  const found = query.data?.assistants;
  return (
    <Page
      title="Assistants"
      answer={found && `${counted(found.data.length, 'assistant')}${found.hasMore ? ' and more' : ''}.`}
      actions={make}
    >
      <Asked query={query} what="Assistants">
        {({ assistants }) =>
          !assistants || assistants.data.length === 0 ? (
            <Notice icon="assistant" title="No assistant yet" action={make}>
              <p className="pb-3">Make one here, or with a program of the Assistants API:</p>
              <Code label="program" text={program()} />
            </Notice>
          ) : (
            <AssistantTable rows={assistants.data} />
          )
        }
      </Asked>
      {isMaking && <AssistantForm assistant={null} onClose={() => setMaking(false)} />}
    </Page>
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
