import { hash } from 'node:crypto';
import { type Connection, Schema } from 'mongoose';
import { grownCache } from '../../lib/grown-cache.ts';
import { inTime } from '../../lib/in-time.ts';
import type { Logger } from '../../lib/logger.ts';
import type { FactLookup } from '../../routing-config/facts.ts';
import type { TargetGroup } from '../../routing-config/plan.ts';
import { isDuplicateBatch } from '../../storage/duplicates.ts';
import { defineModel } from '../../storage/model.ts';
import type { Call } from '../call/call.ts';
import { factsOf } from '../call/facts.ts';

type StickyTarget = { _id: string; organisationId: string; target: string; expiresAt: Date };

const schema = new Schema<StickyTarget>(
  { _id: String, organisationId: String, target: String, expiresAt: Date },
  { collection: 'sticky_targets', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const stickyTargetModel = defineModel('StickyTarget', schema);

/** Callers that one process remembers. */
const ENTRIES = 10_000;
/** Milliseconds for which a process relies on its own memory before it asks the store again. */
const TRUST = 60_000;
/** Milliseconds that a call waits for the store before it goes where it was drawn. */
const PATIENCE = 1000;
/** The same once it has not answered. */
const PATIENCE_WHILE_FAILING = 20;

export type Draw = {
  id: string;
  organisationId: string;
  /** Milliseconds. */
  ttl: number;
  /** Where the caller goes when nothing is kept. */
  drawn: string;
  /** Targets that may be called now. */
  allowed: readonly string[];
};

export type StickyTargets = {
  /** The target that is kept under an id, or from now on the drawn one: one of `allowed`. Never rejects. */
  keep(draw: Draw): string | Promise<string>;
};

/**
 * Where callers were sent, in memory and behind it in the database, so that several processes agree. Without the database each process goes by its own memory.
 */
export function createStickyTargets(
  db: Connection,
  { now, log }: { now: () => Date; log: Logger },
): StickyTargets {
  const known = grownCache<{ target: string; until: number }>(ENTRIES);
  let failing = false;

  const remember = (id: string, { target, expiresAt }: Kept, time: Date): string => {
    known.set(id, { target, until: Math.min(expiresAt.getTime(), time.getTime() + TRUST) });
    return target;
  };

  async function ask({ id, organisationId, ttl, drawn, allowed }: Draw): Promise<string> {
    const time = now();
    const offered = { target: drawn, expiresAt: new Date(time.getTime() + ttl) };
    // An answer that comes too late for this call still counts for the next one.
    const stored = keepInStore(db, { id, organisationId, allowed, time, offered }).then((kept) => {
      failing = false;
      return remember(id, kept, time);
    });
    try {
      return await inTime(stored, failing ? PATIENCE_WHILE_FAILING : PATIENCE);
    } catch (error) {
      if (!failing)
        log.warn({ error }, 'Sticky targets cannot be kept in the database; each process keeps its own.');
      failing = true;
      return remember(id, offered, time);
    }
  }

  return {
    keep(draw) {
      const found = known.get(draw.id);
      if (found && found.until > now().getTime() && draw.allowed.includes(found.target)) return found.target;
      return ask(draw);
    },
  };
}

type Kept = Pick<StickyTarget, 'target' | 'expiresAt'>;

type Offer = {
  id: string;
  organisationId: string;
  allowed: readonly string[];
  time: Date;
  offered: Kept;
};

/** What stands there stays while it lasts and may be called, else the offer takes its place; in one atomic step. */
async function keepInStore(db: Connection, offer: Offer): Promise<Kept> {
  try {
    return await offerToStore(db, offer);
  } catch (error) {
    // Another process was first to make the entry: now it stands there.
    if (isDuplicateBatch(error)) return offerToStore(db, offer);
    throw error;
  }
}

async function offerToStore(
  db: Connection,
  { id, organisationId, allowed, time, offered }: Offer,
): Promise<Kept> {
  const stays = { $and: [{ $gt: ['$expiresAt', time] }, { $in: ['$target', { $literal: allowed }] }] };
  const kept = await stickyTargetModel(db)
    .findOneAndUpdate(
      { _id: id, organisationId },
      [
        {
          $set: {
            target: { $cond: [stays, '$target', { $literal: offered.target }] },
            expiresAt: { $cond: [stays, '$expiresAt', offered.expiresAt] },
          },
        },
      ],
      { upsert: true, returnDocument: 'after', updatePipeline: true },
    )
    .lean<StickyTarget>();
  return kept ?? offered;
}

/** Stands for a caller's values in the store, which learns none of them; null when the call has none of the fields. */
export function stickyIdOf(call: Call, group: TargetGroup, fields: readonly FactLookup[]): string | null {
  const facts = factsOf(call);
  const values = fields.map((field) => field(facts));
  if (values.every((value) => value === undefined)) return null;
  // A config on the request is known by its targets.
  const config = call.savedConfig?.id ?? group.sticky?.identities;
  const parts = [call.workspaceId, config, group.path, values.map((value) => value ?? null)];
  return hash('sha256', JSON.stringify(parts));
}
