import { type FormEvent, useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Banner, Button, Field, Select, TextField } from '../../../ui/index.ts';
import { AddProviderDocument, TryProviderDocument } from '../documents.ts';
import { chatModel, inputOf, type Kind } from './provider-input.ts';
import { Verdict } from './verdict.tsx';

type ProviderFormProps = {
  kinds: readonly Kind[];
  onAdded(added: { slug: string; model: string | null }): void;
  /** Goes on with the provider that needs no key. */
  onStay(): void;
};

const popular = ['openai', 'anthropic', 'google', 'bedrock', 'azure-openai', 'ollama'];

/** A provider's kind, its key, and a test that stores nothing before anything is saved. */
export function ProviderForm({ kinds, onAdded, onStay }: ProviderFormProps) {
  const offered = kinds.filter(({ id }) => id !== 'mock');
  const first = popular.flatMap((id) => offered.filter((kind) => kind.id === id));
  const [kindId, setKindId] = useState(first[0]?.id ?? offered[0]?.id ?? '');
  const [values, setValues] = useState<Record<string, string>>({});
  const kind = offered.find(({ id }) => id === kindId);
  const test = useOperation(TryProviderDocument);
  const add = useOperation(AddProviderDocument);
  const { refusal } = useMay('organisation_integrations.create', 'workspace_integrations.create');
  const result = test.data?.testIntegration;
  const input = kind ? inputOf(kind, values) : { aiProviderId: kindId };

  const choose = (id: string) => {
    setKindId(id);
    setValues({});
    test.reset();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    test.mutate({ input });
  };
  const save = () =>
    add.mutate(
      { input: { ...input, name: kind?.name ?? kindId, slug: kindId } },
      {
        onSuccess: ({ createIntegration: { slug } }) =>
          onAdded({ slug, model: chatModel(result?.models ?? []) }),
      },
    );
  const field = (key: string) => ({
    value: values[key] ?? '',
    onChange: ({ target }: { target: { value: string } }) => {
      setValues((before) => ({ ...before, [key]: target.value }));
      test.reset();
    },
  });
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2" role="group" aria-label="Kind of provider">
        {first.map(({ id, name }) => (
          <Button key={id} aria-pressed={id === kindId} onClick={() => choose(id)}>
            {name}
          </Button>
        ))}
        <Select
          label="Other kinds of providers"
          choices={[
            ...(popular.includes(kindId)
              ? [{ value: kindId, label: `${offered.length - first.length} more…` }]
              : []),
            ...offered
              .filter(({ id }) => !popular.includes(id))
              .map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={kindId}
          onChange={choose}
        />
      </div>
      {kind?.keyLabel && (
        <TextField label={kind.keyLabel} type="password" required maxLength={8192} {...field('key')} />
      )}
      {kind?.settings
        .filter(({ required, key }) => required || (key === 'custom_host' && kind.needsCustomHost))
        .map(({ key, label, secret, type, options }) =>
          type === 'choice' ? (
            <Field key={key} label={label}>
              {({ id }) => (
                <Select
                  id={id}
                  label={label}
                  choices={options.map((value) => ({ value, label: value }))}
                  value={values[key] ?? options[0] ?? ''}
                  onChange={(value) => field(key).onChange({ target: { value } })}
                />
              )}
            </Field>
          ) : (
            <TextField key={key} label={label} type={secret ? 'password' : 'text'} required {...field(key)} />
          ),
        )}
      {kind?.needsCustomHost && !kind.settings.some(({ key }) => key === 'custom_host') && (
        <TextField
          label="Address of its API"
          type="url"
          required
          placeholder="http://…"
          {...field('custom_host')}
        />
      )}
      {(test.error ?? add.error) && <Banner tone="bad">{(test.error ?? add.error)?.message}</Banner>}
      {result && <Verdict result={result} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          look={result?.ok ? 'plain' : 'primary'}
          isBusy={test.isPending}
          refusal={refusal}
        >
          Test
        </Button>
        {result && (
          <Button look={result.ok ? 'primary' : 'plain'} isBusy={add.isPending} onClick={save}>
            {result.ok ? 'Save' : 'Save anyway'}
          </Button>
        )}
        <span className="flex-1" />
        <Button look="quiet" onClick={onStay}>
          Stay with @mock: it answers without a key
        </Button>
      </div>
    </form>
  );
}
