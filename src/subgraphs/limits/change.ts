import { GatewayError } from '../../errors/index.ts';
import type { GraphContext } from '../context.ts';
import { bindEdits } from './edited.ts';
import { bringsLimits, type GivenLimits, parseLimits } from './given.ts';
import { resetUsage } from './reset.ts';
import type { StoredLimits } from './stored.ts';
import { type LimitOwner, limitsOf } from './to-limit.ts';

/** An update of something that may have limits. */
export type LimitsChange<T extends StoredLimits> = {
  input: GivenLimits;
  present: T;
  /** What it is by now; null once it is gone. */
  read(): Promise<T | null>;
  /** Writes `limits` and all else that the update brings, where `filter` holds; null where it does not. */
  write(limits: StoredLimits, filter: object): Promise<T | null>;
  ownerOf(document: T): LimitOwner;
};

const ATTEMPTS = 5;

/**
 * Writes limits only over those that they were computed from: where somebody else changed them in between, they are computed
 * again. Null where there is nothing to write to.
 */
export async function changeLimits<T extends StoredLimits>(
  context: GraphContext,
  { input, present, read, write, ownerOf }: LimitsChange<T>,
): Promise<T | null> {
  if (!bringsLimits(input)) return write({}, {});
  let before: T | null = present;
  for (let attempt = 0; before && attempt < ATTEMPTS; attempt++) {
    const updated: T | null = await write(parseLimits(input, before, context.now()), asRead(before));
    if (updated) {
      const limits = limitsOf(ownerOf(updated), updated);
      await bindEdits(context, limitsOf(ownerOf(before), before), limits);
      if (input.resetUsage) await resetUsage(context, limits);
      return updated;
    }
    if (context.unchangedSince) return null;
    before = await read();
  }
  if (!before) return null;
  throw new GatewayError('ALREADY_EXISTS', {
    message: 'The limits are being changed by others; read them again and retry.',
  });
}

/** The part of a write's filter that holds while the limits are as they were read. */
const asRead = ({ usageLimits, rateLimits }: StoredLimits) => ({
  usageLimits: usageLimits ?? { $exists: false },
  rateLimits: rateLimits ?? { $exists: false },
});
