import type { Collection, Filter } from 'mongodb';
import type { RunDocument, RunStatus } from './run.ts';

/** One way in which a run changes its status. */
type Transition = {
  from: readonly RunStatus[];
  to: RunStatus;
  /** Who may: the process whose claim is the last one, or anybody. */
  by: 'owner' | 'anybody';
  /** The run has ended: its thread is free, and what only a living run needs is forgotten. */
  ends?: true;
  /** Nobody executes it afterwards. */
  releases?: true;
};

/** Every way in which a run changes its status; nothing else writes one. */
export const transitions = {
  claim: { from: ['queued'], to: 'in_progress', by: 'anybody' },
  takeOver: { from: ['in_progress'], to: 'in_progress', by: 'anybody' },
  takeOverCancelling: { from: ['cancelling'], to: 'cancelling', by: 'anybody' },
  putBack: { from: ['in_progress'], to: 'queued', by: 'owner', releases: true },
  progress: { from: ['in_progress'], to: 'in_progress', by: 'owner' },
  requireAction: { from: ['in_progress'], to: 'requires_action', by: 'owner', releases: true },
  takeOutputs: { from: ['requires_action'], to: 'requires_action', by: 'anybody' },
  resume: { from: ['requires_action'], to: 'queued', by: 'anybody' },
  complete: { from: ['in_progress'], to: 'completed', by: 'owner', ends: true },
  stopShort: { from: ['in_progress'], to: 'incomplete', by: 'owner', ends: true },
  fail: { from: ['in_progress'], to: 'failed', by: 'owner', ends: true },
  askToCancel: { from: ['in_progress'], to: 'cancelling', by: 'anybody' },
  cancelAtRest: { from: ['queued', 'requires_action'], to: 'cancelled', by: 'anybody', ends: true },
  cancel: { from: ['cancelling'], to: 'cancelled', by: 'owner', ends: true },
  expire: { from: ['queued', 'in_progress', 'requires_action'], to: 'expired', by: 'anybody', ends: true },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;

/** What else is written, and what must hold beside the status. */
export type Change = {
  set?: Partial<RunDocument>;
  increase?: Partial<Record<'fence' | 'attempt', number>>;
  guard?: Filter<RunDocument>;
};

/** The right of a process to write of a run. */
export type Claim = Pick<RunDocument, '_id' | 'owner' | 'fence'>;

/**
 * Changes a run in one compare-and-set; answers it as it is then. Null: somebody else was first, or the run is gone, so
 * that the caller has to stop and to tell nobody.
 */
export async function change(
  runs: Collection<RunDocument>,
  name: TransitionName,
  claim: Claim,
  what: Change = {},
): Promise<RunDocument | null> {
  const { filter, update } = updateOf(name, claim, what);
  return runs.findOneAndUpdate(filter, update, { returnDocument: 'after' });
}

/** What only a living run has. */
const ofLiving = { active: '', sealedCaller: '', opening: '' } as const;

/** The compare-and-set of a change. */
function updateOf(name: TransitionName, claim: Claim, { set = {}, increase, guard = {} }: Change) {
  const transition: Transition = transitions[name];
  const { from, to, by, ends, releases } = transition;
  const held = by === 'owner' ? { owner: claim.owner, fence: claim.fence } : { fence: claim.fence };
  return {
    filter: { _id: claim._id, status: { $in: [...from] }, ...held, ...guard },
    update: {
      $set: { status: to, ...((ends || releases) && { owner: null }), ...(ends && { pending: [] }), ...set },
      ...(increase && { $inc: increase }),
      ...(ends && { $unset: ofLiving }),
    },
  };
}

/**
 * The compare-and-set of an owner's change, to be written together with something else, and the run as it is after it. It meets
 * the run only where nobody has changed what others may change meanwhile.
 */
export function ownUpdate(
  name: TransitionName,
  run: RunDocument,
  set: Partial<RunDocument>,
): { filter: object; update: object; after: RunDocument } {
  const { filter, update } = updateOf(name, run, { set, guard: { metadata: run.metadata } });
  const after = { ...run, ...update.$set };
  for (const member of Object.keys(update.$unset ?? {})) delete after[member as keyof typeof ofLiving];
  return { filter, update, after };
}
