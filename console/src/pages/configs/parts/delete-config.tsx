import { useOperation } from '../../../data/use-document.ts';
import { useGo } from '../../../shell/address.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { DeleteButton, say } from '../../../ui/index.ts';
import { DeleteConfigDocument } from '../documents.ts';
import type { Stored } from './config-detail.tsx';

export function DeleteConfig({ stored: { id, name, slug, usedBy } }: { stored: Stored }) {
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
    <DeleteButton
      name={name}
      consequence={`Calls that name ${slug} are refused at once.${uses}`}
      refusal={refusal}
      act={remove}
      onConfirm={() => remove.mutate({ id })}
    />
  );
}
