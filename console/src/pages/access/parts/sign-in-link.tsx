import { useOperation } from '../../../data/use-document.ts';
import { Button, Code, Dialog, FormDialog } from '../../../ui/index.ts';
import { MakeSignInLinkDocument } from '../documents.ts';

type SignInLinkProps = { user: string; name: string; onClose(): void };

/** A link for somebody who has no way in; it is shown once. */
export function SignInLink({ user, name, onClose }: SignInLinkProps) {
  const make = useOperation(MakeSignInLinkDocument);
  const link = make.data?.createSignInLink.signInLink;
  if (!link)
    return (
      <FormDialog
        title={`A sign-in link for ${name}?`}
        description="Whoever has the link acts as this person. Give it to nobody else."
        verb="Make the link"
        size="small"
        isBusy={make.isPending}
        problem={make.error?.message ?? null}
        onSubmit={() => make.mutate({ user })}
        onClose={onClose}
      >
        {null}
      </FormDialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Give this link to ${name}`}
      description="It is shown once, works once, and for a day."
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <Code text={link} label="sign-in link" />
    </Dialog>
  );
}
