import type { Connection } from 'mongoose';
import type { SignInRecord } from '../../../directory/memory.ts';
import { grownCache } from '../../../lib/grown-cache.ts';
import type { Logger } from '../../../lib/logger.ts';
import { userModel } from '../user/index.ts';
import { endAfterUse } from './lifetime.ts';
import { signInModel } from './model.ts';

/** Milliseconds between two notes that a sign-in is in use. */
const NOTE_INTERVAL_MS = 300_000;
/** Sign-ins of which the last note is remembered. */
const REMEMBERED = 20_000;

/** That somebody was seen is no change of theirs. */
const untimed = { timestamps: false };

export type Sightings = {
  /** Notes that a sign-in is in use. Nobody waits for it, and most calls do nothing. */
  note(signIn: SignInRecord): void;
  /** Resolves when everything noted is written. */
  stop(): Promise<void>;
};

/** Writes down, every few minutes, that sign-ins and their users were seen; a sign-in in use ends later. */
export function createSightings(db: Connection, { now, log }: { now: () => Date; log: Logger }): Sightings {
  const notedAt = grownCache<number>(REMEMBERED);
  const writing = new Set<Promise<void>>();

  async function write(signIn: SignInRecord, at: Date): Promise<void> {
    const { id, organisationId, holder } = signIn;
    const endsAt = endAfterUse(at, new Date(signIn.expiresAt));
    await signInModel(db).updateOne({ _id: id, organisationId }, { lastSeenAt: at, endsAt }, untimed);
    signIn.endsAt = endsAt.getTime();
    if (holder.kind !== 'user') return;
    await userModel(db).updateOne({ _id: holder.userId, organisationId }, { lastSeenAt: at }, untimed);
  }

  return {
    note(signIn) {
      const at = now();
      if (at.getTime() - (notedAt.get(signIn.id) ?? 0) < NOTE_INTERVAL_MS) return;
      notedAt.set(signIn.id, at.getTime());
      const pending = write(signIn, at)
        .catch((error: unknown) => log.warn({ error }, 'The use of a sign-in could not be noted.'))
        .finally(() => writing.delete(pending));
      writing.add(pending);
    },
    async stop() {
      await Promise.all(writing);
    },
  };
}
