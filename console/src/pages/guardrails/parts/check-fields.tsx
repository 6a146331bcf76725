import { useState } from 'react';
import { Button, Check, IconButton, SchemaForm, Section, TextField } from '../../../ui/index.ts';
import { blankCheck, type CheckDraft, type Kinds, placeOf, schemaOf } from './draft.ts';

type CheckFieldsProps = {
  checks: readonly CheckDraft[];
  kinds: Kinds;
  error: { message: string; param: string | null } | null;
  onChange(checks: readonly CheckDraft[]): void;
};

/** The checks of a guardrail, each with a field for what it takes. */
export function CheckFields({ checks, kinds, error, onChange }: CheckFieldsProps) {
  const place = placeOf(error?.param ?? null);
  const set = (key: number, changes: Partial<CheckDraft>) =>
    onChange(checks.map((check) => (check.key === key ? { ...check, ...changes } : check)));
  return (
    <div className="flex flex-col gap-3">
      {checks.map((check, index) => {
        const kind = kinds.get(check.id);
        return (
          <Section
            key={check.key}
            title={check.name ?? check.id}
            actions={
              <>
                <Check
                  label="on"
                  checked={check.isEnabled}
                  onChange={({ target }) => set(check.key, { isEnabled: target.checked })}
                />
                <IconButton
                  icon="trash"
                  label={`Remove ${check.id}`}
                  onClick={() => onChange(checks.filter((one) => one !== check))}
                />
              </>
            }
          >
            <div className="flex flex-col gap-3 p-4">
              <p className="text-muted">
                {kind?.description}
                {kind?.isRemote && ' It asks somebody over the network.'}
              </p>
              <SchemaForm
                schema={schemaOf(kind)}
                written={check.written}
                errorAt={(name) =>
                  place?.check === index && place.parameter === name ? (error?.message ?? null) : null
                }
                onChange={(written) => set(check.key, { written })}
              />
            </div>
          </Section>
        );
      })}
      <AddCheck kinds={kinds} onAdd={(id) => onChange([...checks, blankCheck(id)])} />
    </div>
  );
}

function AddCheck({ kinds, onAdd }: { kinds: Kinds; onAdd(id: string): void }) {
  const [search, setSearch] = useState<string | null>(null);
  if (search === null)
    return (
      <Button icon="plus" className="self-start" onClick={() => setSearch('')}>
        Add a check
      </Button>
    );
  const wanted = search.trim().toLowerCase();
  const found = [...kinds.values()].filter(({ id, description }) =>
    `${id} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <Section
      title="Add a check"
      actions={<IconButton icon="cross" label="Add none" onClick={() => setSearch(null)} />}
    >
      <div className="flex flex-col gap-3 p-4">
        <TextField
          label="Search"
          type="search"
          autoFocus
          placeholder={`One of ${kinds.size} kinds`}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <ul className="max-h-80 overflow-y-auto" tabIndex={-1}>
          {found.map(({ id, description }) => (
            <li key={id}>
              <button
                type="button"
                className="min-h-8 w-full rounded-control px-2 py-1 text-left transition-colors hover:bg-hover"
                onClick={() => {
                  onAdd(id);
                  setSearch(null);
                }}
              >
                <span className="mono">{id}</span> <span className="text-muted">{description}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
