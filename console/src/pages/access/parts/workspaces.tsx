import { useState } from 'react';
import { day } from '../../../format/time.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { useZone } from '../../../shell/stored.ts';
import { Button, type Column, Drawer, Notice, Table } from '../../../ui/index.ts';
import type { AccessQuery } from '../documents.ts';
import { WorkspaceForm } from './workspace-form.tsx';
import { WorkspaceShown } from './workspace-shown.tsx';

export type Workspace = NonNullable<AccessQuery['workspaces']>['data'][number];
export type Person = NonNullable<AccessQuery['users']>['data'][number];

type WorkspacesProps = { workspaces: readonly Workspace[]; people: readonly Person[] };

/** The parts of the organisation, each with who is in it. */
export function Workspaces({ workspaces, people }: WorkspacesProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [isCreating, setCreating] = useState(false);
  const [zone] = useZone();
  const { refusal } = useMay('workspaces.create');
  const shown = workspaces.find(({ id }) => id === chosen);
  const create = (
    <Button icon="plus" refusal={refusal} onClick={() => setCreating(true)}>
      New workspace
    </Button>
  );
  const columns: Column<Workspace>[] = [
    { key: 'name', head: 'Name', cell: ({ name }) => <span className="font-[560]">{name}</span> },
    { key: 'slug', head: 'Slug', isMono: true, cell: ({ slug }) => slug },
    {
      key: 'about',
      head: 'What it is for',
      cell: ({ description }) => <span className="text-muted">{description}</span>,
    },
    { key: 'people', head: 'Members', align: 'end', cell: ({ slug }) => membersOf(people, slug) },
    { key: 'made', head: 'Made', align: 'end', cell: ({ createdAt }) => day(createdAt, zone) },
  ];
  return (
    <>
      {workspaces.length === 0 ? (
        <Notice icon="access" title="No workspace yet" action={create}>
          A workspace is a team's part: its keys, configs, limits and logs.
        </Notice>
      ) : (
        <>
          <Table
            label="Workspaces"
            columns={columns}
            rows={workspaces}
            keyOf={({ id }) => id}
            onOpen={({ id }) => setChosen(id)}
            narrow={({ name, slug }) => ({ lead: name, side: membersOf(people, slug), meta: slug })}
          />
          <div className="px-4 py-3 sm:px-6">{create}</div>
        </>
      )}
      {isCreating && <WorkspaceForm of={null} onClose={() => setCreating(false)} />}
      <Drawer isOpen={shown !== undefined} onClose={() => setChosen(null)} label={shown?.name ?? ''}>
        {shown && <WorkspaceShown of={shown} people={people} onClose={() => setChosen(null)} />}
      </Drawer>
    </>
  );
}

/** Owners and admins are everywhere, and are not counted. */
const membersOf = (people: readonly Person[], slug: string): number =>
  people.filter(
    ({ role, workspaces }) =>
      role === 'member' && (workspaces ?? []).some((workspace) => workspace?.slug === slug),
  ).length;
