import type { UseMutationResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { GraphError } from '../../../data/graph-error.ts';
import { Banner, Button, Dialog, Diff } from '../../../ui/index.ts';
import type { SaveConfigMutation, SaveConfigMutationVariables } from '../documents.ts';
import type { Stored } from './config-detail.tsx';
import { configIn, textOf } from './tree.ts';

type SaveConfigProps = {
  /** What the text was made from. */
  base: Stored;
  text: string;
  save: UseMutationResult<SaveConfigMutation, GraphError, SaveConfigMutationVariables>;
  onClose(): void;
  onReload(): Promise<Stored | null>;
  onTakeTheirs(theirs: Stored): void;
  /** The text is now a change of theirs. */
  onRebase(theirs: Stored): void;
};

/** What saving changes; and where somebody else was faster, what they have made of it meanwhile. Nothing is overwritten unseen. */
export function SaveConfig({ base, text, save, onClose, onReload, onTakeTheirs, onRebase }: SaveConfigProps) {
  const [theirs, setTheirs] = useState<Stored | null>(null);
  const isConflict = save.error?.code === 'PRECONDITION_FAILED';
  useEffect(() => {
    if (isConflict) void onReload().then(setTheirs);
  }, [isConflict, onReload]);
  const submit = () =>
    save.mutate({ id: base.id, input: { config: configIn(text), expectedVersionId: base.versionId } });
  if (isConflict && theirs)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        size="large"
        title="Somebody has changed it meanwhile"
        description="Nothing is overwritten. Keep theirs, or go on with yours on top of it and save again."
        actions={
          <>
            <Button onClick={() => onTakeTheirs(theirs)}>Take theirs</Button>
            <Button
              look="primary"
              onClick={() => {
                onRebase(theirs);
                setTheirs(null);
              }}
            >
              Go on with mine
            </Button>
          </>
        }
      >
        <Diff
          before={textOf(theirs.config)}
          after={text}
          labels={{ before: 'Theirs, saved', after: 'Yours' }}
        />
      </Dialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="large"
      title={`Save ${base.name}?`}
      description={affected(base)}
      actions={
        <>
          <Button onClick={onClose}>Go on editing</Button>
          <Button look="primary" isBusy={save.isPending || isConflict} onClick={submit}>
            Save
          </Button>
        </>
      }
    >
      <Diff before={textOf(base.config)} after={text} labels={{ before: 'Now', after: 'After saving' }} />
      {save.error && !isConflict && (
        <Banner tone="bad">{[save.error.message, ...save.error.errors].join(' ')}</Banner>
      )}
    </Dialog>
  );
}

const affected = ({ usedBy, isDefault }: Stored): string =>
  isDefault === 1
    ? 'Calls that name no config take it: they follow at once.'
    : usedBy.length === 0
      ? 'Calls that name it follow at once.'
      : `${usedBy.length} keys or workspaces have it as their default: their calls follow at once.`;
