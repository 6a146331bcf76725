import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { useGo } from '../../../shell/address.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Banner, Button, Dialog, say } from '../../../ui/index.ts';
import { DeleteConfigDocument } from '../documents.ts';
import type { Stored } from './config-detail.tsx';

export function DeleteConfig({ stored: { id, name, slug, usedBy } }: { stored: Stored }) {
  const [isAsked, setAsked] = useState(false);
  const go = useGo();
  const { refusal } = useMay('configs.delete');
  const remove = useOperation(DeleteConfigDocument, {
    changes: ['Configs'],
    onDone() {
      say(`${name} is deleted`);
      go('configs');
    },
  });
  const uses = usedBy.length === 0 ? '' : ` ${usedBy.length} keys or workspaces have it as their default.`;
  return (
    <>
      <Button look="danger" icon="trash" refusal={refusal} onClick={() => setAsked(true)}>
        Delete
      </Button>
      <Dialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={`Delete ${name}?`}
        description={`Calls that name ${slug} are refused at once.${uses}`}
        size="small"
        actions={
          <>
            <Button onClick={() => setAsked(false)}>Keep it</Button>
            <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate({ id })}>
              Delete
            </Button>
          </>
        }
      >
        {remove.error && <Banner tone="bad">{remove.error.message}</Banner>}
      </Dialog>
    </>
  );
}
