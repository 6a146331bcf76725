import { useState } from 'react';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { Button, Check, Dialog, IconButton, say, TextField } from '../../../ui/index.ts';
import { DeleteLogViewDocument, SavedLogViewsDocument, SaveLogViewDocument } from '../documents.ts';

type ViewsProps = {
  /** The query of the address. */
  current: string;
  onChoose(query: string): void;
};

/** Views that somebody gave a name, and a name for this one. */
export function SavedViews({ current, onChoose }: ViewsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="bookmark" className="max-md:hidden" onClick={() => setOpen(true)}>
        Saved
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Saved views"
        description="A view keeps filter, time and columns."
        size="small"
      >
        <Views current={current} onChoose={onChoose} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function Views({ current, onChoose, onDone }: ViewsProps & { onDone(): void }) {
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const { data } = useDocument(SavedLogViewsDocument, {});
  const changes = [SavedLogViewsDocument.name];
  const save = useOperation(SaveLogViewDocument, { changes, onDone: () => say(`Saved "${name}"`) });
  const remove = useOperation(DeleteLogViewDocument, { changes });
  const views = data?.savedViews?.data ?? [];
  return (
    <div className="flex flex-col gap-4">
      {views.length > 0 && (
        <ul>
          {views.map((view) => (
            <li key={view.id} className="flex items-center border-b border-line">
              <button
                type="button"
                className="flex h-9 min-w-0 flex-1 items-center gap-2 text-left hover:text-accent"
                onClick={() => {
                  onChoose(view.query);
                  onDone();
                }}
              >
                <span className="truncate">{view.name}</span>
                {view.shared && <span className="text-meta text-faint">shared</span>}
              </button>
              <IconButton
                icon="trash"
                label={`Delete ${view.name}`}
                onClick={() => remove.mutate({ id: view.id })}
              />
            </li>
          ))}
        </ul>
      )}
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(
            { name: name.trim(), query: current, shared: isShared },
            { onSuccess: () => setName('') },
          );
        }}
      >
        <TextField
          label="Name of this view"
          required
          maxLength={255}
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={save.error?.message}
        />
        <Check
          label="For everybody of the workspace"
          checked={isShared}
          onChange={({ target }) => setShared(target.checked)}
        />
        <Button type="submit" look="primary" isBusy={save.isPending} className="self-start">
          Save
        </Button>
      </form>
    </div>
  );
}
