import { type ReactNode, useState } from 'react';
import { Button } from '../button.tsx';
import { Banner } from '../state.tsx';
import { Dialog } from './dialog.tsx';

/** What is done once somebody has said yes, and how far it is. */
export type Act = { isPending: boolean; error: { message: string } | null };

type ConfirmProps = {
  title: string;
  /** What follows from it. */
  consequence: ReactNode;
  /** The word on the button that does it. */
  verb?: string;
  act: Act;
  onConfirm(): void;
  onClose(): void;
};

/** Asks before something that nothing brings back; a refusal stands in it. */
export const Confirm = ({ title, consequence, verb = 'Delete', act, onConfirm, onClose }: ConfirmProps) => (
  <Dialog
    isOpen
    onClose={onClose}
    title={title}
    description={consequence}
    size="small"
    actions={
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" isBusy={act.isPending} onClick={onConfirm}>
          {verb}
        </Button>
      </>
    }
  >
    {act.error && <Banner tone="bad">{act.error.message}</Banner>}
  </Dialog>
);

type DeleteButtonProps = Omit<ConfirmProps, 'title' | 'onClose'> & {
  /** What is deleted. */
  name: string;
  refusal: string | null;
};

/** A button that asks before it deletes. */
export function DeleteButton({ name, refusal, verb = 'Delete', ...confirm }: DeleteButtonProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button look="danger" icon="trash" refusal={refusal} onClick={() => setAsked(true)}>
        {verb}
      </Button>
      {isAsked && (
        <Confirm title={`${verb} ${name}?`} verb={verb} {...confirm} onClose={() => setAsked(false)} />
      )}
    </>
  );
}
