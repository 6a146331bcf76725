import { useEffect, useMemo } from 'react';
import { useDocument } from '../../../data/use-document.ts';
import { Check, Field, Segments, SkeletonRows } from '../../../ui/index.ts';
import { KeyChoicesDocument } from '../documents.ts';
import type { KeyType } from './key-form.ts';

type ScopesProps = {
  type: KeyType;
  chosen: readonly string[];
  onChange(scopes: readonly string[]): void;
  error: string | null;
  isNew: boolean;
};

const CUSTOM = 'custom';
const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((scope) => b.includes(scope));

/** What a key may do: by its purpose, or scope by scope. */
export function Scopes({ type, chosen, onChange, error, isNew }: ScopesProps) {
  const { data } = useDocument(KeyChoicesDocument, { type }, { freshFor: 300_000 });
  const presets = data?.scopePresets ?? [];
  const preset = presets.find(({ scopes }) => isSame(scopes, chosen));
  const first = presets.find(({ grantable }) => grantable);
  // A new key begins with the purpose that most keys have.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what there is to choose from begins it
  useEffect(() => {
    if (isNew && chosen.length === 0 && first) onChange(first.scopes);
  }, [first, type]);
  if (!data) return <SkeletonRows rows={2} />;
  const choices: Record<string, string> = Object.fromEntries([
    ...presets.filter(({ grantable }) => grantable).map(({ id, name }) => [id, name]),
    [CUSTOM, 'Custom'],
  ]);
  return (
    <Field
      label="May"
      error={error}
      hint={preset ? preset.description : `${chosen.length} scopes are chosen; none implies another.`}
    >
      {() => (
        <div className="flex flex-col gap-3">
          <Segments
            label="Purpose"
            choices={choices}
            value={preset?.id ?? CUSTOM}
            onChange={(id) => {
              const next = presets.find((one) => one.id === id);
              onChange(next ? next.scopes : chosen.slice(0, -1));
            }}
          />
          {!preset && <Matrix scopes={data.scopeCatalogue ?? []} chosen={chosen} onChange={onChange} />}
        </div>
      )}
    </Field>
  );
}

type Scope = { scope: string; family: string; verb: string; description: string; grantable: boolean };
type MatrixProps = {
  scopes: readonly Scope[];
  chosen: readonly string[];
  onChange(scopes: readonly string[]): void;
};

/** Families of scopes with their verbs; what the viewer lacks cannot be given. */
function Matrix({ scopes, chosen, onChange }: MatrixProps) {
  const families = useMemo(() => [...Map.groupBy(scopes, ({ family }) => family)], [scopes]);
  const toggle = (scope: string) =>
    onChange(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope]);
  return (
    <div
      role="group"
      aria-label="Scopes"
      className="max-h-72 overflow-y-auto rounded-control border border-line bg-sunken px-3"
    >
      {families.map(([family, own]) => (
        <div
          key={family}
          className="grid gap-x-4 border-b border-line py-1.5 last:border-0 sm:grid-cols-[180px_1fr]"
        >
          <span className="text-muted">{family.replaceAll('_', ' ')}</span>
          <div className="flex flex-wrap gap-x-4">
            {own.map(({ scope, verb, description, grantable }) => (
              <span key={scope} title={description}>
                <Check
                  label={verb}
                  checked={chosen.includes(scope)}
                  refusal={grantable ? null : `You do not have ${scope}, so you cannot give it`}
                  onChange={() => toggle(scope)}
                />
              </span>
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
