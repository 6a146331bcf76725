import type { JournalOwner } from './owner.ts';

/** What the name of a journal says, so that nobody opens one to learn whose it is. */
export type JournalFile = {
  name: string;
  /** Begins the keys of the leases of its process. */
  processId: string;
  owner: JournalOwner;
  /** Counts the files of one process: a later one has all that the earlier ones had. */
  generation: number;
};

const FORM = /^(\w+)\.([0-9a-f]{16})\.(\d+)\.(\d+)\.(\d+)$/;

export const journalName = ({ processId, owner, generation }: Omit<JournalFile, 'name'>): string =>
  [processId, owner.here, owner.pid, owner.startedAt, generation].join('.');

/** Null for the name of anything else. */
export function parseJournalName(name: string): JournalFile | null {
  const [, processId, here, pid, startedAt, generation] = FORM.exec(name) ?? [];
  if (!processId || !here || !startedAt) return null;
  return {
    name,
    processId,
    owner: { here, pid: Number(pid), startedAt },
    generation: Number(generation),
  };
}
