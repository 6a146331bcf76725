import { Button, Field, IconButton, inputClasses, Select } from '../../../ui/index.ts';
import { blankFact, type Fact, type LimitDraft, METADATA } from './draft.ts';
import { factOf } from './policy.ts';

const modelFacts = ['api_key', 'model', 'provider', 'config', 'prompt', 'virtual_key', 'workspace_id'];
const toolFacts = ['api_key', 'mcp_server', 'mcp_tool', 'workspace_id'];

const choicesFor = ({ kind, target }: LimitDraft) => [
  ...[
    ...(kind === 'rate' && target === 'mcp_tools' ? toolFacts : modelFacts),
    ...(kind === 'rate' && target === 'llm' ? ['endpoint_type'] : []),
  ].map((value) => ({ value, label: factOf(value) })),
  { value: METADATA, label: 'metadata' },
];

type FactRowsProps = {
  label: string;
  hint: string;
  error: string | null;
  draft: LimitDraft;
  facts: readonly Fact[];
  /** Whether a fact has to have a value, or is shared out by its values. */
  hasValues?: boolean;
  verb: string;
  onChange(facts: readonly Fact[]): void;
};

/** Facts of a call, one in a row. */
export function FactRows({ label, hint, error, draft, facts, hasValues, verb, onChange }: FactRowsProps) {
  const set = (id: number, changes: Partial<Fact>) =>
    onChange(facts.map((fact) => (fact.id === id ? { ...fact, ...changes } : fact)));
  return (
    <Field label={label} hint={hint} error={error}>
      {({ id: fieldId }) => (
        <div id={fieldId} role="group" aria-label={label} className="flex flex-col gap-2">
          {facts.map((fact) => (
            <div key={fact.id} className="flex flex-wrap items-center gap-2">
              <Select
                label="Fact of a call"
                choices={choicesFor(draft)}
                value={fact.key}
                onChange={(key) => set(fact.id, { key })}
                className="w-32"
              />
              {fact.key === METADATA && (
                <Written
                  label="Name of the metadata"
                  value={fact.name}
                  onChange={(name) => set(fact.id, { name })}
                />
              )}
              {hasValues && (
                <>
                  <Written label="Is" value={fact.is} onChange={(is) => set(fact.id, { is })} />
                  <Written label="But not" value={fact.not} onChange={(not) => set(fact.id, { not })} />
                </>
              )}
              <IconButton
                icon="cross"
                label={`Leave out ${factOf(fact.key)}`}
                onClick={() => onChange(facts.filter((one) => one !== fact))}
              />
            </div>
          ))}
          <Button
            icon="plus"
            className="self-start"
            onClick={() => onChange([...facts, blankFact('api_key')])}
          >
            {verb}
          </Button>
        </div>
      )}
    </Field>
  );
}

type WrittenProps = { label: string; value: string; onChange(value: string): void };

const Written = ({ label, value, onChange }: WrittenProps) => (
  <input
    aria-label={label}
    placeholder={label}
    value={value}
    maxLength={512}
    list={label === 'Is' ? 'limit-values' : undefined}
    onChange={({ target }) => onChange(target.value)}
    className={inputClasses('mono min-w-24 flex-1')}
  />
);
