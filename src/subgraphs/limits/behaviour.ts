import { invalidInput } from '../../errors/index.ts';
import type { StoredRateLimit, StoredUsageLimit } from './stored.ts';

/** Milliseconds for which a call waits for a budget that others hold, unless the limit says otherwise. */
const WAIT_MS = 1000;

type UsageBehaviour = Pick<
  StoredUsageLimit,
  'enforcement' | 'waitMs' | 'unpriced' | 'onStoreLoss' | 'onCrash' | 'onAbort'
>;
type RateBehaviour = Pick<StoredRateLimit, 'window' | 'enforcement' | 'waitMs' | 'onStoreLoss'>;

/** How a usage limit is kept, with what holds where nobody has said anything. */
export function shownUsageBehaviour(stored: UsageBehaviour) {
  const enforcement = stored.enforcement ?? 'hard';
  return {
    enforcement,
    waitMs: stored.waitMs ?? (enforcement === 'hard' ? WAIT_MS : 0),
    unpriced: stored.unpriced ?? 'count',
    onStoreLoss: stored.onStoreLoss ?? (enforcement === 'hard' ? 'closed' : 'open'),
    onCrash: stored.onCrash ?? 'keep',
    onAbort: stored.onAbort ?? 'progress',
  } as const;
}

export function shownRateBehaviour(stored: RateBehaviour & Pick<StoredRateLimit, 'type'>) {
  // What a call may answer at most is far more than it does: reserving that much of a rate would starve its callers.
  const enforcement = stored.enforcement ?? (stored.type === 'tokens' ? 'soft' : 'hard');
  return {
    window: stored.window ?? 'bucket',
    enforcement,
    waitMs: stored.waitMs ?? 0,
    onStoreLoss: stored.onStoreLoss ?? (enforcement === 'observe' ? 'open' : 'local'),
  } as const;
}

/** The members that an input brings; what it leaves out is left out. */
export const givenBehaviour = ({
  enforcement,
  waitMs,
  unpriced,
  onStoreLoss,
  onCrash,
  onAbort,
}: UsageBehaviour): UsageBehaviour => given({ enforcement, waitMs, unpriced, onStoreLoss, onCrash, onAbort });

export const givenRateBehaviour = ({
  window,
  enforcement,
  waitMs,
  onStoreLoss,
}: RateBehaviour): RateBehaviour => given({ window, enforcement, waitMs, onStoreLoss });

const given = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

/** A budget has no share of its own that a process could go by without the store. */
export function requireUsageBehaviour({ onStoreLoss }: UsageBehaviour, param: string): void {
  if (onStoreLoss !== 'local') return;
  throw invalidInput(
    `${param}.onStoreLoss`,
    'on_store_loss of a usage limit is closed or open: only a rate can be shared out without the store.',
  );
}
