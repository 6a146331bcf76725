import { useQueryClient } from '@tanstack/react-query';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { useGo, useSearch } from '../../../shell/address.ts';
import { useMay, useViewer } from '../../../shell/session/viewer.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { DeleteButton, Page, SkeletonRows, say, Tabs } from '../../../ui/index.ts';
import { DeleteGuardrailDocument, GuardrailShownDocument } from '../documents.ts';
import type { StoredGuardrail } from './draft.ts';
import { Editor } from './editor.tsx';
import { useKinds } from './use-kinds.ts';
import { Versions } from './versions.tsx';

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
