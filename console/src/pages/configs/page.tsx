import { useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { useWorkspace } from '../../data/workspace.ts';
import { counted } from '../../format/number.ts';
import { useGo } from '../../shell/address.ts';
import { useMay, useViewer } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { WorkspaceFirst } from '../../shell/states/workspace-first.tsx';
import { useChangedColumn } from '../../shell/use-changed-column.ts';
import { Button, type Column, Notice, Status, Table } from '../../ui/index.ts';
import { Page } from '../../ui/page.tsx';
import { ConfigsDocument, type ConfigsQuery } from './documents.ts';
import { NewConfig } from './parts/new-config.tsx';
import { type Node, treeOf } from './parts/tree.ts';

export { ConfigDetail as Detail } from './parts/config-detail.tsx';

type Row = NonNullable<ConfigsQuery['configs']>['data'][number];

/** Where will my request go? */
export default function Configs() {
  const workspaceId = useWorkspace();
  const { kind } = useViewer();
  if (workspaceId !== null || kind === 'workspace-service') return <ConfigList />;
  return (
    <WorkspaceFirst
      title="Configs"
      path="configs"
      icon="configs"
      answer="Each workspace has configs of its own."
      question="Whose configs?"
    >
      A call can name the configs of the workspace of its key, and no others.
    </WorkspaceFirst>
  );
}

function ConfigList() {
  const [isMaking, setMaking] = useState(false);
  const workspaceId = useWorkspace();
  const query = useDocument(ConfigsDocument, { workspaceId });
  const { refusal } = useMay('configs.create');
  const list = query.data?.configs;
  const make = (
    <Button look="primary" icon="plus" refusal={refusal} onClick={() => setMaking(true)}>
      New config
    </Button>
  );
  return (
    <Page title="Configs" answer={list && sentenceOf(list.data)} actions={make}>
      <Asked query={query} what="Configs">
        {({ configs }) =>
          !configs || configs.total === 0 ? (
            <Notice icon="configs" title="No config yet" action={make}>
              A config says where a call goes: the next provider when one fails, a share to each, another one
              for some callers. Begin with one that runs on the mock.
            </Notice>
          ) : (
            <ConfigTable rows={configs.data} />
          )
        }
      </Asked>
      {isMaking && <NewConfig isOpen onClose={() => setMaking(false)} />}
    </Page>
  );
}

function ConfigTable({ rows }: { rows: readonly Row[] }) {
  const go = useGo();
  const changed = useChangedColumn();
  const columns: Column<Row>[] = [
    { key: 'name', head: 'Name', cell: ({ name }) => name },
    { key: 'slug', head: 'Slug', isMono: true, cell: ({ slug }) => slug },
    { key: 'way', head: 'Goes to', isMono: true, cell: ({ config }) => wayOf(treeOf(config)) },
    { key: 'state', head: 'State', cell: stateOf },
    changed,
  ];
  return (
    <Table
      label="Configs"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ slug }) => go(`configs/${slug}`)}
      narrow={(row) => ({
        lead: row.name,
        side: stateOf(row),
        meta: <span className="mono">{wayOf(treeOf(row.config))}</span>,
      })}
    />
  );
}

const stateOf = ({ isDefault, status }: Row) =>
  isDefault === 1 ? (
    <Status tone="info">default</Status>
  ) : status === 'active' ? (
    'active'
  ) : (
    <Status tone="none">{status}</Status>
  );

/** `fallback: @main, @claude`. */
function wayOf(node: Node): string {
  if (node.mode === null) return [node.label, node.notes[0]].filter(Boolean).join(' ');
  return `${node.mode}: ${node.children.map(({ mode, label }) => (mode ? `(${mode})` : label)).join(', ')}`;
}

function sentenceOf(rows: readonly Row[]): string {
  const usual = rows.find(({ isDefault }) => isDefault === 1);
  const rest = usual ? `calls that name none take ${usual.name}` : 'calls that name none go where they say';
  return `${counted(rows.length, 'config')}; ${rest}.`;
}
