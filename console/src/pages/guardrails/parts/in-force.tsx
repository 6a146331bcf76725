import { useState } from 'react';
import { useDocument } from '../../../data/use-document.ts';
import { counted } from '../../../format/number.ts';
import { useViewer } from '../../../shell/session/viewer.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { Banner, type Column, Notice, SelectField, Status, Table } from '../../../ui/index.ts';
import { GuardrailsInForceDocument, type GuardrailsInForceQuery } from '../documents.ts';
import { Bench } from './bench.tsx';

type Effective = NonNullable<GuardrailsInForceQuery['effectiveGuardrails']>;
type Row = Effective['targets'][number]['input'][number] & { phase: 'input' | 'output'; place: number };

/** What calls of a workspace come under, without a config of their own; and what it makes of a text. */
export function InForce({ workspace: given }: { workspace: string | null }) {
  const { workspaces } = useViewer();
  const [chosen, setChosen] = useState(given ?? workspaces[0]?.slug ?? '');
  const workspace = given ?? chosen;
  const query = useDocument(GuardrailsInForceDocument, { workspace }, { isEnabled: workspace !== '' });
  return (
    <div className="grid gap-4 py-4 xl:grid-cols-[1fr_420px]">
      <div className="min-w-0">
        {given === null && (
          <div className="max-w-80 px-4 pb-4 sm:px-6">
            <SelectField
              label="Calls of the workspace"
              choices={workspaces.map(({ slug, name }) => ({ value: slug, label: name }))}
              value={chosen}
              onChange={setChosen}
            />
          </div>
        )}
        <Asked query={query} what="What is enforced">
          {({ effectiveGuardrails }) => effectiveGuardrails && <Enforced of={effectiveGuardrails} />}
        </Asked>
      </div>
      <div className="px-4 sm:px-6 xl:pl-0">
        <Bench against={{}} workspace={workspace} />
      </div>
    </div>
  );
}

function Enforced({ of: { targets, broken, exemptions } }: { of: Effective }) {
  const [first] = targets;
  const rows = (['input', 'output'] as const).flatMap((phase) =>
    (first?.[phase] ?? []).map((row, place): Row => ({ ...row, phase, place })),
  );
  const columns: Column<Row>[] = [
    { key: 'phase', head: 'Direction', cell: ({ phase }) => phase },
    { key: 'name', head: 'Guardrail', cell: ({ name, id }) => name ?? id },
    { key: 'origin', head: 'Asked for by', cell: ({ origin }) => `the ${origin}` },
    { key: 'checks', head: 'Checks', isMono: true, cell: ({ checks }) => checks.join(', ') },
    { key: 'end', head: 'A failure is', cell: endOf },
    { key: 'stream', head: 'Streams', cell: ({ stream }) => stream },
  ];
  return (
    <>
      {broken.length > 0 && (
        <div className="px-4 pb-3 sm:px-6">
          <Banner tone="bad">
            {counted(broken.length, 'guardrail')} that should be enforced cannot be run: no call goes on until
            that is put right ({broken.join(', ')}).
          </Banner>
        </div>
      )}
      {exemptions.map(({ phase, guardrailIds }) => (
        <div key={phase} className="px-4 pb-3 sm:px-6">
          <Banner tone="warn">
            The organisation has taken this workspace out of {counted(guardrailIds.length, 'guardrail')} of
            the {phase}.
          </Banner>
        </div>
      ))}
      {rows.length === 0 ? (
        <Notice icon="shield" title="Nothing is enforced here">
          A config, the workspace or the organisation can name guardrails for its calls.
        </Notice>
      ) : (
        <Table
          label="Enforced guardrails"
          columns={columns}
          rows={rows}
          keyOf={({ phase, place }) => `${phase} ${place}`}
          narrow={(row) => ({
            lead: row.name ?? row.id,
            side: endOf(row),
            meta: `${row.phase} · the ${row.origin} · ${row.checks.join(', ')}`,
          })}
        />
      )}
    </>
  );
}

const endOf = ({ deny, async: isAsync }: Pick<Row, 'deny' | 'async'>) => (
  <Status tone={deny ? 'bad' : 'info'}>{isAsync ? 'logged' : deny ? 'refused' : 'told'}</Status>
);
