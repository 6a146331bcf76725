import type { GraphError } from '../../../data/graph-error.ts';
import { Field, Select, TextField } from '../../../ui/index.ts';
import type { Draft, Kind } from './draft.ts';

type ProviderFormProps = {
  kind: Kind;
  draft: Draft;
  onChange(draft: Draft): void;
  /** The refusal of the last try. */
  error: GraphError | null;
};

/** The same fields for what is made and what is changed. */
export function ProviderForm({ kind, draft, onChange, error }: ProviderFormProps) {
  const set = (changes: Partial<Draft>) => onChange({ ...draft, ...changes });
  const at = (name: string) => (error?.param?.split('.').includes(name) ? error.message : null);
  return (
    <div className="flex flex-col gap-3">
      <TextField
        label="Name"
        value={draft.name}
        onChange={({ target }) => set({ name: target.value })}
        error={at('name')}
        required
      />
      {kind.keyLabel && (
        <TextField
          label={kind.keyLabel}
          type="password"
          isMono
          value={draft.key}
          onFocus={({ target }) => target.select()}
          onChange={({ target }) => set({ key: target.value })}
          hint="Sealed where it is stored, and never shown again."
          error={at('key')}
        />
      )}
      <TextField
        label={kind.needsCustomHost ? 'Host' : 'Custom host'}
        type="url"
        isMono
        placeholder="https://…"
        value={draft.customHost}
        onChange={({ target }) => set({ customHost: target.value })}
        hint={
          kind.needsCustomHost
            ? 'Where it answers.'
            : 'Only where it answers at another address than its own.'
        }
        error={at('custom_host')}
        required={kind.needsCustomHost}
      />
      {kind.settings.map((setting) => (
        <SettingField
          key={setting.key}
          setting={setting}
          value={draft.settings[setting.key] ?? ''}
          error={at(setting.key)}
          onChange={(value) => set({ settings: { ...draft.settings, [setting.key]: value } })}
        />
      ))}
      <TextField
        label="Description"
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
        error={at('description')}
      />
    </div>
  );
}

type SettingFieldProps = {
  setting: Kind['settings'][number];
  value: string;
  error: string | null;
  onChange(value: string): void;
};

function SettingField({ setting, value, error, onChange }: SettingFieldProps) {
  const { label, type, secret, required, options } = setting;
  if (type === 'choice' && options.length > 0) {
    const choices = [
      { value: '', label: 'As usual' },
      ...options.map((option) => ({ value: option, label: option })),
    ];
    return (
      <Field label={label} error={error}>
        {({ id }) => <Select id={id} label={label} choices={choices} value={value} onChange={onChange} />}
      </Field>
    );
  }
  return (
    <TextField
      label={label}
      type={secret ? 'password' : 'text'}
      isMono
      value={value}
      onFocus={({ target }) => secret && target.select()}
      onChange={({ target }) => onChange(target.value)}
      error={error}
      required={required}
      hint={type === 'list' || type === 'object' ? 'As JSON.' : undefined}
    />
  );
}
