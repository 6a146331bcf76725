import { useOperation } from '../../../data/use-document.ts';
import { dateAndTime } from '../../../format/time.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { useZone } from '../../../shell/stored.ts';
import { Button, type Column, say, Table } from '../../../ui/index.ts';
import { RestoreGuardrailDocument } from '../documents.ts';
import type { StoredGuardrail } from './draft.ts';

type Version = StoredGuardrail['versions'][number];

/** What a guardrail has been before; each state can be brought back. */
export function Versions({ of: { id, versionId, versions } }: { of: StoredGuardrail }) {
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
