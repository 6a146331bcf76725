import { type FormEvent, type ReactNode, useId } from 'react';
import { Button } from '../button.tsx';
import { Banner } from '../state.tsx';
import { Dialog } from './dialog.tsx';

type FormDialogProps = {
  title: string;
  description?: ReactNode;
  /** The word on the button that sends it. */
  verb: string;
  isBusy: boolean;
  /** Why it cannot be sent yet. */
  refusal?: string | null;
  /** What is wrong with the form as a whole; what is wrong with a field stands there. */
  problem?: string | null;
  size?: 'small' | 'medium' | 'large';
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
};

/** Fields to fill in, sent by its button or by Enter. */
export function FormDialog(props: FormDialogProps) {
  const { title, description, verb, isBusy, refusal, problem, size, onSubmit, onClose, children } = props;
  const form = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={description}
      size={size}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" refusal={refusal} isBusy={isBusy}>
            {verb}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        {problem && <Banner tone="bad">{problem}</Banner>}
        {children}
      </form>
    </Dialog>
  );
}
