import { useQueryClient } from '@tanstack/react-query';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { dateAndTime } from '../../../format/time.ts';
import { useGo, useSearch } from '../../../shell/address.ts';
import { useMay, useViewer } from '../../../shell/session/viewer.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { useZone } from '../../../shell/stored.ts';
import {
  Button,
  type Column,
  DeleteButton,
  Page,
  SkeletonRows,
  say,
  Table,
  Tabs,
} from '../../../ui/index.ts';
import { DeleteGuardrailDocument, GuardrailShownDocument, RestoreGuardrailDocument } from '../documents.ts';
import type { StoredGuardrail } from './draft.ts';
import { Editor } from './editor.tsx';
import { useKinds } from './use-kinds.ts';

/** One guardrail: what it checks, how it came to that, and what names it. */
export function GuardrailDetail({ id }: { id: string }) {
  const [{ view = 'checks' }, change] = useSearch();
  const kinds = useKinds();
  const queries = useQueryClient();
  const workspace = useWorkspace();
  const { workspaces } = useViewer();
  const query = useDocument(GuardrailShownDocument, { id });
  const shown = query.data?.guardrail;
  const owner = shown && (shown.workspaceId === null ? 'the organisation' : (shown.workspace?.name ?? ''));
  return (
    <Page
      title={shown?.name ?? id}
      answer={
        shown &&
        `Of ${owner}, named as ${shown.slug}; ${shown.usedBy.length} configs, workspaces or others enforce it.`
      }
      actions={shown && <DeleteGuardrail stored={shown} />}
    >
      <Asked query={query} what="The guardrail">
        {({ guardrail }) =>
          !guardrail || !kinds ? (
            <SkeletonRows />
          ) : (
            <Tabs
              label="Views of the guardrail"
              value={view}
              onChange={(value) => change({ view: value })}
              tabs={[
                {
                  value: 'checks',
                  label: 'Checks',
                  note: guardrail.checks.length,
                  panel: (
                    <Editor
                      key={guardrail.versionId}
                      stored={guardrail}
                      kinds={kinds}
                      workspace={guardrail.workspace?.slug ?? workspace ?? workspaces[0]?.slug ?? ''}
                      onReload={() =>
                        void queries.invalidateQueries({ queryKey: [GuardrailShownDocument.name] })
                      }
                    />
                  ),
                },
                { value: 'versions', label: 'Versions', panel: <Versions of={guardrail} /> },
                {
                  value: 'used',
                  label: 'Named by',
                  note: guardrail.usedBy.length,
                  panel: <UsedBy of={guardrail} />,
                },
              ]}
            />
          )
        }
      </Asked>
    </Page>
  );
}

type Version = StoredGuardrail['versions'][number];

function Versions({ of: { id, versionId, versions } }: { of: StoredGuardrail }) {
  const [zone] = useZone();
  const { refusal } = useMay('guardrails.update');
  const restore = useOperation(RestoreGuardrailDocument, {
    changes: ['Guardrails', 'GuardrailShown'],
    onDone: ({ restoreGuardrailVersion: { name } }) => say(`${name} is as it was then`),
  });
  const act = (version: Version) =>
    version.id === versionId ? (
      'now'
    ) : (
      <Button
        look="quiet"
        refusal={refusal}
        isBusy={restore.isPending}
        onClick={() =>
          restore.mutate(
            { id, version: version.id },
            { onError: ({ message }) => say('It stays as it is', { tone: 'bad', detail: message }) },
          )
        }
      >
        Restore
      </Button>
    );
  const columns: Column<Version>[] = [
    { key: 'number', head: 'Version', cell: ({ number }) => number },
    { key: 'at', head: 'Made', cell: ({ createdAt }) => dateAndTime(createdAt, zone) },
    { key: 'by', head: 'By', isMono: true, cell: ({ createdBy }) => createdBy },
    { key: 'acts', head: <span className="sr-only">Actions</span>, align: 'end', cell: act },
  ];
  return (
    <Table
      label="Versions"
      columns={columns}
      rows={versions}
      keyOf={(version) => version.id}
      narrow={(version) => ({
        lead: `Version ${version.number}`,
        side: act(version),
        meta: dateAndTime(version.createdAt, zone),
      })}
    />
  );
}

const UsedBy = ({ of: { usedBy } }: { of: StoredGuardrail }) => (
  <ul className="px-4 py-4 sm:px-6">
    {usedBy.length === 0 && <li className="text-muted">Nothing names it, so it looks at no call.</li>}
    {usedBy.map(({ kind, id }) => (
      <li key={`${kind} ${id}`} className="min-h-8">
        {kind.replace('_', ' ')} <span className="mono text-muted">{id}</span>
      </li>
    ))}
  </ul>
);

function DeleteGuardrail({ stored: { id, name } }: { stored: StoredGuardrail }) {
  const go = useGo();
  const { refusal } = useMay('guardrails.delete');
  const remove = useOperation(DeleteGuardrailDocument, {
    changes: ['Guardrails'],
    onDone() {
      say(`${name} is deleted`);
      go('guardrails');
    },
  });
  return (
    <DeleteButton
      name={name}
      consequence="It is refused while a config, a workspace or the organisation names it."
      refusal={refusal}
      act={remove}
      onConfirm={() => remove.mutate({ id })}
    />
  );
}
