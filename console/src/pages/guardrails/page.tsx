import { useDocument } from '../../data/use-document.ts';
import { useWorkspace } from '../../data/workspace.ts';
import { counted } from '../../format/number.ts';
import { useGo, useSearch } from '../../shell/address.ts';
import { useMay, useViewer } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { useChangedColumn } from '../../shell/use-changed-column.ts';
import { Button, type Column, Notice, Page, SkeletonRows, Status, Table, Tabs } from '../../ui/index.ts';
import { type GuardrailRowFragment, GuardrailsDocument } from './documents.ts';
import { Editor } from './parts/editor.tsx';
import { InForce } from './parts/in-force.tsx';
import { useKinds } from './parts/use-kinds.ts';

export { GuardrailDetail as Detail } from './parts/guardrail-detail.tsx';

/** What do we refuse, and does it work? */
export default function Guardrails() {
  const [{ view = 'all', draft }, change] = useSearch();
  const workspace = useWorkspace();
  const { refusal } = useMay('guardrails.create');
  const query = useDocument(GuardrailsDocument, { workspace, name: null });
  const rows = query.data?.guardrails?.data ?? [];
  if (draft !== undefined) return <NewGuardrail />;
  const make = (
    <Button look="primary" icon="plus" refusal={refusal} onClick={() => change({ draft: 'new' })}>
      New guardrail
    </Button>
  );
  return (
    <Page title="Guardrails" answer={query.data && sentenceOf(rows)} actions={make}>
      <Asked query={query} what="Guardrails">
        {() => (
          <Tabs
            label="Guardrails"
            value={view}
            onChange={(value) => change({ view: value })}
            tabs={[
              {
                value: 'all',
                label: 'All',
                note: rows.length,
                panel:
                  rows.length === 0 ? (
                    <Notice icon="shield" title="No guardrail yet" action={make}>
                      A guardrail looks at what is sent to models and at what they answer, and refuses, tells
                      or redacts. Its bench tries a text before anything is enforced.
                    </Notice>
                  ) : (
                    <GuardrailTable rows={rows} />
                  ),
              },
              { value: 'enforced', label: 'Enforced', panel: <InForce workspace={workspace} /> },
            ]}
          />
        )}
      </Asked>
    </Page>
  );
}

function NewGuardrail() {
  const workspace = useWorkspace();
  const { workspaces } = useViewer();
  const [, change] = useSearch();
  const kinds = useKinds();
  return (
    <Page
      title="New guardrail"
      answer="Nothing is enforced until a config, a workspace or the organisation names it."
      actions={<Button onClick={() => change({ draft: null })}>Cancel</Button>}
    >
      {kinds ? (
        <Editor
          stored={null}
          kinds={kinds}
          workspace={workspace ?? workspaces[0]?.slug ?? ''}
          onReload={() => {}}
        />
      ) : (
        <SkeletonRows />
      )}
    </Page>
  );
}

function GuardrailTable({ rows }: { rows: readonly GuardrailRowFragment[] }) {
  const go = useGo();
  const changed = useChangedColumn();
  const columns: Column<GuardrailRowFragment>[] = [
    { key: 'name', head: 'Name', cell: ({ name }) => name },
    { key: 'slug', head: 'Slug', isMono: true, cell: ({ slug }) => slug },
    { key: 'checks', head: 'Checks', isMono: true, cell: checksOf },
    { key: 'end', head: 'A failure is', cell: endOf },
    { key: 'owner', head: 'Of', cell: ownerOf },
    changed,
  ];
  return (
    <Table
      label="Guardrails"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ slug }) => go(`guardrails/${slug}`)}
      narrow={(row) => ({
        lead: row.name,
        side: endOf(row),
        meta: `${ownerOf(row)} · ${checksOf(row)}`,
      })}
    />
  );
}

const checksOf = ({ checks }: GuardrailRowFragment): string =>
  checks
    .filter(({ isEnabled }) => isEnabled)
    .map(({ id }) => id)
    .join(', ') || 'none';
const ownerOf = ({ workspaceId, workspace }: GuardrailRowFragment): string =>
  workspaceId === null ? 'the organisation' : (workspace?.name ?? workspaceId);

function endOf({ status, actions: { deny, async: isAsync } }: GuardrailRowFragment) {
  if (status === 'archived') return <Status tone="none">archived</Status>;
  return <Status tone={deny ? 'bad' : 'info'}>{isAsync ? 'logged' : deny ? 'refused' : 'told'}</Status>;
}

function sentenceOf(rows: readonly GuardrailRowFragment[]): string {
  const denying = rows.filter(({ actions, status }) => actions.deny && status === 'active').length;
  return `${counted(rows.length, 'guardrail')}, of which ${denying === 1 ? '1 refuses' : `${denying} refuse`} calls that fail.`;
}
