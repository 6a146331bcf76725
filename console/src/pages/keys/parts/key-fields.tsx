import type { GraphError } from '../../../data/graph-error.ts';
import { useViewer } from '../../../shell/session/viewer.ts';
import { Banner, Field, Select, TextArea, TextField } from '../../../ui/index.ts';
import { Expiry } from './expiry.tsx';
import { fieldOf, type KeyDraft, type KeyType } from './key-form.ts';
import { Scopes } from './scopes.tsx';

type KeyFieldsProps = {
  draft: KeyDraft;
  onChange(changes: Partial<KeyDraft>): void;
  error: GraphError | null;
  /** Type and workspace of a key that is there cannot change. */
  isNew: boolean;
};

const types: readonly { value: KeyType; label: string; note: string }[] = [
  { value: 'workspace-service', label: 'A program', note: 'in one workspace' },
  { value: 'workspace-user', label: 'Yourself', note: 'in one workspace' },
  { value: 'organisation-service', label: 'Administration', note: 'whole organisation' },
];

/** The fields of a key, the same for a new one and for one that is changed. */
export function KeyFields({ draft, onChange, error, isNew }: KeyFieldsProps) {
  const { workspaces } = useViewer();
  const wrong = error ? fieldOf(error.param) : null;
  const errorOf = (name: keyof KeyDraft) => (wrong === name ? (error?.message ?? null) : null);
  const own = workspaces.map(({ slug, name }) => ({ value: slug, label: name }));
  return (
    <div className="flex flex-col gap-4">
      {error && wrong === null && <Banner tone="bad">{error.message}</Banner>}
      <TextField
        label="Name"
        required
        maxLength={255}
        value={draft.name}
        placeholder="checkout-service"
        onChange={({ target }) => onChange({ name: target.value })}
        error={errorOf('name')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="For" hint={isNew ? undefined : 'A key stays of its type.'}>
          {({ id }) => (
            <Select
              id={id}
              label="For"
              choices={isNew ? types : types.filter(({ value }) => value === draft.type)}
              value={draft.type}
              onChange={(type) =>
                onChange({
                  type,
                  scopes: [],
                  workspace:
                    type === 'organisation-service' ? '' : ((draft.workspace || own[0]?.value) ?? ''),
                })
              }
            />
          )}
        </Field>
        {draft.type !== 'organisation-service' && (
          <Field label="Workspace" error={errorOf('workspace')}>
            {({ id }) => (
              <Select
                id={id}
                label="Workspace"
                choices={isNew ? own : own.filter(({ value }) => value === draft.workspace)}
                value={draft.workspace}
                onChange={(workspace) => onChange({ workspace })}
              />
            )}
          </Field>
        )}
      </div>
      <Scopes
        type={draft.type}
        chosen={draft.scopes}
        onChange={(scopes) => onChange({ scopes })}
        error={errorOf('scopes')}
        isNew={isNew}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Expiry
          value={draft.expiresAt}
          onChange={(expiresAt) => onChange({ expiresAt })}
          error={errorOf('expiresAt')}
        />
        <TextField
          label="Budget in US dollars a month"
          inputMode="decimal"
          pattern="\d+(\.\d+)?"
          placeholder="none"
          value={draft.budget}
          onChange={({ target }) => onChange({ budget: target.value })}
          error={errorOf('budget')}
          hint="Calls beyond it are refused."
        />
      </div>
      {draft.type !== 'organisation-service' && (
        <TextField
          label="Config for calls that name none"
          placeholder="pc-…"
          isMono
          maxLength={255}
          value={draft.config}
          onChange={({ target }) => onChange({ config: target.value })}
          error={errorOf('config')}
        />
      )}
      <TextField
        label="Mails about rotation and expiry go to"
        placeholder="ada@example.com, ops@example.com"
        value={draft.alertEmails}
        onChange={({ target }) => onChange({ alertEmails: target.value })}
        error={errorOf('alertEmails')}
      />
      <TextArea
        label="Description"
        rows={2}
        maxLength={1000}
        value={draft.description}
        onChange={({ target }) => onChange({ description: target.value })}
        error={errorOf('description')}
      />
    </div>
  );
}
