import type { Document } from '../../../data/document.ts';
import { useOperation } from '../../../data/use-document.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { DeleteButton, say } from '../../../ui/index.ts';
import { PartHead } from './part-head.tsx';

type Given = {
  id: string;
  name: string;
  /** What becomes of the rest when it is deleted. */
  consequence: string;
  document: Document<unknown, { id: string }>;
  onClose(): void;
};

/** The head of a file or vector store, which can be deleted: either is a part of the lists of both. */
export function DeletableHead({ id, name, consequence, document, onClose }: Given) {
  const { refusal } = useMay('completions.write');
  const remove = useOperation(document, {
    changes: ['Files', 'VectorStores'],
    onDone() {
      say(`${name} is deleted`);
      onClose();
    },
  });
  const act = (
    <DeleteButton {...{ name, consequence, refusal }} act={remove} onConfirm={() => remove.mutate({ id })} />
  );
  return <PartHead title={name} onClose={onClose} actions={act} />;
}
