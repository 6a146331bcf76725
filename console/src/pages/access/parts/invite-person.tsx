import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { useViewer } from '../../../shell/session/viewer.ts';
import { Banner, Button, Check, Code, Dialog, Field, Select, TextField } from '../../../ui/index.ts';
import { type AssignableUserRole, InvitePersonDocument } from '../documents.ts';

const roles = [
  { value: 'member', label: 'Member', note: 'of workspaces' },
  { value: 'admin', label: 'Admin', note: 'of everything' },
] as const;

/** An address, a role and workspaces; then the link, once. */
export function InvitePerson({ onClose }: { onClose(): void }) {
  const { workspaces } = useViewer();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<AssignableUserRole>('member');
  const [places, setPlaces] = useState<ReadonlySet<string>>(new Set());
  const invite = useOperation(InvitePersonDocument, { changes: ['Access'] });
  const link = invite.data?.createInvite.inviteLink;
  const toggle = (slug: string) =>
    setPlaces((before) => {
      const after = new Set(before);
      if (!after.delete(slug)) after.add(slug);
      return after;
    });
  if (link)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={`Give this link to ${email}`}
        description="It is shown once, works once, and for seven days."
        actions={
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <Code text={link} label="invite link" />
      </Dialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Invite somebody"
      actions={
        <Button
          look="primary"
          refusal={email.includes('@') ? null : 'Give an address.'}
          isBusy={invite.isPending}
          onClick={() =>
            invite.mutate({
              input: {
                email: email.trim(),
                role,
                workspaces:
                  role === 'admin' ? [] : [...places].map((id) => ({ id, role: 'member' as const })),
              },
            })
          }
        >
          Make the link
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <TextField
          label="Address"
          type="email"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
          error={invite.error?.param?.includes('email') ? invite.error.message : null}
          required
        />
        <Field label="Role">
          {({ id }) => (
            <Select<AssignableUserRole>
              id={id}
              label="Role"
              choices={roles}
              value={role}
              onChange={setRole}
            />
          )}
        </Field>
        {role === 'member' && (
          <fieldset className="flex flex-col gap-1">
            <legend className="pb-1 text-meta font-[560]">Member of</legend>
            {workspaces.map(({ slug, name }) => (
              <Check key={slug} label={name} checked={places.has(slug)} onChange={() => toggle(slug)} />
            ))}
          </fieldset>
        )}
        {invite.error && <Banner tone="bad">{invite.error.message}</Banner>}
      </div>
    </Dialog>
  );
}
