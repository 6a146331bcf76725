import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { useGo } from '../../../shell/address.ts';
import { Banner, Button, Dialog, say, TextField } from '../../../ui/index.ts';
import { CreateConfigDocument } from '../documents.ts';
import { templates } from './templates.ts';

/** A name and something to begin with. */
export function NewConfig({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [name, setName] = useState('');
  const [template, setTemplate] = useState(templates[0]);
  const workspaceId = useWorkspace();
  const go = useGo();
  const create = useOperation(CreateConfigDocument, {
    changes: ['Configs'],
    onDone({ createConfig: { slug } }) {
      say(`${slug} can be named by calls`);
      onClose();
      go(`configs/${slug}`);
    },
  });
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="New config"
      description="It begins as one that runs without a provider's key; change it then."
      actions={
        <Button
          look="primary"
          refusal={name.trim() === '' ? 'Give it a name.' : null}
          isBusy={create.isPending}
          onClick={() => create.mutate({ input: { name, config: template?.config, workspaceId } })}
        >
          Create
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <TextField label="Name" value={name} onChange={({ target }) => setName(target.value)} required />
        <fieldset className="grid gap-2 sm:grid-cols-2">
          <legend className="pb-1 text-meta font-[560]">Begin with</legend>
          {templates.map((known) => (
            <button
              key={known.name}
              type="button"
              aria-pressed={known === template}
              onClick={() => setTemplate(known)}
              className="rounded-control border border-line p-3 text-left transition-colors hover:bg-hover aria-pressed:border-accent aria-pressed:bg-tint"
            >
              <span className="block font-[560]">{known.name}</span>
              <span className="text-meta text-muted">{known.about}</span>
            </button>
          ))}
        </fieldset>
        {create.error && <Banner tone="bad">{create.error.message}</Banner>}
      </div>
    </Dialog>
  );
}
