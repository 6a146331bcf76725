import { fieldErrors, type GraphError } from '../../../data/graph-error.ts';
import { useViewer } from '../../../shell/session/viewer.ts';
import { Segments, SelectField, TextField } from '../../../ui/index.ts';
import { AllowanceFields } from './allowance-fields.tsx';
import type { LimitDraft } from './draft.ts';
import { FactRows } from './fact-rows.tsx';

export const limitFields = [
  ...(['conditions', 'groupBy', 'name', 'description', 'creditLimit', 'alertThreshold'] as const),
  ...(['periodicResetDays', 'periodicReset', 'workspaceId', 'enforcement', 'value', 'unit'] as const),
];

type LimitFieldsProps = {
  draft: LimitDraft;
  onChange(changes: Partial<LimitDraft>): void;
  error: GraphError | null;
  /** What a policy counts, and for whom, cannot change later. */
  isNew: boolean;
};

const targets = [
  { value: 'llm', label: 'Calls of models' },
  { value: 'mcp_tools', label: 'Calls of tools' },
] as const;
const endings = [
  { value: 'hard', label: 'Refuse calls, and never pass it' },
  { value: 'soft', label: 'Refuse calls once it is used up' },
  { value: 'observe', label: 'Count, and refuse nothing' },
] as const;

/** The fields of a limit, the same for a new one and for one that is changed. */
export function LimitFields({ draft, onChange, error, isNew }: LimitFieldsProps) {
  const { at } = fieldErrors(error, limitFields);
  const { workspaces } = useViewer();
  const isRate = draft.kind === 'rate';
  return (
    <>
      {isNew && (
        <Segments
          label="Sort"
          choices={{ usage: 'Budget', rate: 'Rate' }}
          value={draft.kind}
          onChange={(kind) => onChange({ kind, counts: kind === 'rate' ? 'requests' : 'cost' })}
        />
      )}
      <AllowanceFields draft={draft} onChange={onChange} at={at} isNew={isNew} />
      {isNew && (
        <SelectField
          label="Workspace"
          choices={workspaces.map(({ slug, name }) => ({ value: slug, label: name }))}
          value={draft.workspace}
          onChange={(workspace) => onChange({ workspace })}
          error={at('workspaceId')}
        />
      )}
      {isNew && isRate && (
        <SelectField
          label="Counts"
          choices={targets}
          value={draft.target}
          onChange={(target) => onChange({ target })}
        />
      )}
      {isNew && (
        <FactRows
          label="For each"
          hint="Every value has the whole amount for itself; with the workspace, all calls share it."
          error={at('groupBy')}
          draft={draft}
          facts={draft.groups}
          verb="And each"
          onChange={(groups) => onChange({ groups })}
        />
      )}
      <FactRows
        label="Of calls where"
        hint="Without a condition it is about all calls of the workspace. Commas part values; * is any."
        error={at('conditions')}
        draft={draft}
        facts={draft.conditions}
        hasValues
        verb="Add a condition"
        onChange={(conditions) => onChange({ conditions })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="When it is used up"
          choices={endings}
          value={draft.enforcement}
          onChange={(enforcement) => onChange({ enforcement })}
          error={at('enforcement')}
        />
        {!isRate && (
          <TextField
            label="Tell people at"
            inputMode="decimal"
            placeholder="never"
            value={draft.alert}
            onChange={({ target }) => onChange({ alert: target.value })}
            error={at('alertThreshold')}
          />
        )}
      </div>
      <TextField
        label="Name"
        maxLength={255}
        value={draft.name}
        onChange={({ target }) => onChange({ name: target.value })}
        hint="Callers that are refused read it."
        error={at('name')}
      />
      <TextField
        label="Description"
        maxLength={500}
        value={draft.description}
        onChange={({ target }) => onChange({ description: target.value })}
        error={at('description')}
      />
    </>
  );
}
