import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { counted } from '../../../format/number.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Banner, Button, Check, Notice, say, TextField } from '../../../ui/index.ts';
import { SaveProviderModelsDocument } from '../documents.ts';
import type { Stored } from './draft.ts';

/** Which models may be called: all, or those that are ticked. */
export function ModelChoice({ stored }: { stored: Stored }) {
  const [search, setSearch] = useState('');
  const [allowAll, setAllowAll] = useState(stored.allowAllModels);
  const [enabled, setEnabled] = useState(
    () => new Set(stored.models.filter((model) => model.enabled).map(({ slug }) => slug)),
  );
  const { refusal } = useMay('organisation_integrations.update', 'workspace_integrations.update');
  const save = useOperation(SaveProviderModelsDocument, {
    changes: ['ProviderDetail', 'Providers'],
    onDone: () => say('The models are saved'),
  });
  const wanted = search.trim().toLowerCase();
  const shown = stored.models.filter(({ slug }) => slug.toLowerCase().includes(wanted));
  const changed = stored.models.filter((model) => model.enabled !== enabled.has(model.slug));
  const toggle = (slug: string) =>
    setEnabled((before) => {
      const after = new Set(before);
      if (!after.delete(slug)) after.add(slug);
      return after;
    });
  const input = {
    allowAllModels: allowAll,
    models: changed.map(({ slug }) => ({ slug, enabled: enabled.has(slug) })),
  };
  const isSame = changed.length === 0 && allowAll === stored.allowAllModels;
  return (
    <div className="flex flex-col gap-3 px-4 py-4 sm:px-6">
      <div className="flex flex-wrap items-end gap-4">
        <TextField
          label="Search"
          type="search"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <Check
          label="All models may be called, also those that are not listed"
          checked={allowAll}
          onChange={({ target }) => setAllowAll(target.checked)}
        />
        <span className="flex-1" />
        <Button
          look="primary"
          refusal={refusal ?? (isSame ? 'Nothing has changed.' : null)}
          isBusy={save.isPending}
          onClick={() => save.mutate({ id: stored.id, input })}
        >
          {changed.length > 0 ? `Save ${counted(changed.length, 'model')}` : 'Save'}
        </Button>
      </div>
      {save.error && <Banner tone="bad">{save.error.message}</Banner>}
      {stored.models.length === 0 && (
        <Notice title="No list of models">Whatever is asked of this provider is passed on to it.</Notice>
      )}
      <ul className="grid gap-x-6 sm:grid-cols-2 xl:grid-cols-3">
        {shown.map(({ slug, isCustom }) => (
          <li key={slug} className="flex min-h-8 items-center border-b border-line">
            <Check
              label={
                <span className="mono">
                  {slug}
                  {isCustom && <span className="text-faint"> own</span>}
                </span>
              }
              checked={allowAll || enabled.has(slug)}
              refusal={allowAll ? 'All models may be called.' : null}
              onChange={() => toggle(slug)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
