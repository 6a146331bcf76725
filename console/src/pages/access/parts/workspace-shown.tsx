import { useState } from 'react';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { Button, DeleteButton, IconButton, Id, say } from '../../../ui/index.ts';
import { DeleteWorkspaceDocument, WorkspaceMembersDocument } from '../documents.ts';
import { AddMember } from './add-member.tsx';
import { Members } from './members.tsx';
import { WorkspaceForm } from './workspace-form.tsx';
import type { Person, Workspace } from './workspaces.tsx';

type WorkspaceShownProps = { of: Workspace; people: readonly Person[]; onClose(): void };

/** One workspace: who is in it, and what may be done to it. */
export function WorkspaceShown({ of: workspace, people, onClose }: WorkspaceShownProps) {
  const [isEditing, setEditing] = useState(false);
  const query = useDocument(WorkspaceMembersDocument, { workspace: workspace.id });
  const update = useMay('workspaces.update');
  const remove = useMay('workspaces.delete');
  const act = useOperation(DeleteWorkspaceDocument, {
    changes: ['Access', 'Viewer'],
    onDone() {
      say(`${workspace.name} is deleted`);
      onClose();
    },
  });
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3">
        <h2 className="min-w-0 flex-1 truncate text-lead font-[560]">{workspace.name}</h2>
        <Button icon="edit" refusal={update.refusal} onClick={() => setEditing(true)}>
          Edit
        </Button>
        <DeleteButton
          name={workspace.name}
          consequence="Its keys are refused at once. It has to be empty of what others use."
          refusal={remove.refusal ?? (workspace.isDefault === 1 ? 'The first workspace stays.' : null)}
          act={act}
          onConfirm={() => act.mutate({ id: workspace.id })}
        />
        <IconButton icon="cross" label="Close" onClick={onClose} />
      </header>
      <div className="flex flex-col gap-1 px-4 py-3 text-muted">
        {workspace.description && <p>{workspace.description}</p>}
        <p>
          <Id className="-ml-1">{workspace.slug}</Id>
        </p>
      </div>
      <Asked query={query} what="Members">
        {({ members }) => (
          <>
            <Members workspace={workspace.id} members={members?.data ?? []} />
            <AddMember
              workspace={workspace.id}
              people={people.filter(
                ({ id, role }) =>
                  role === 'member' && !(members?.data ?? []).some(({ userId }) => userId === id),
              )}
            />
          </>
        )}
      </Asked>
      {isEditing && <WorkspaceForm of={workspace} onClose={() => setEditing(false)} />}
    </div>
  );
}
