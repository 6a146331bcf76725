import { GatewayError } from '../../../../errors/index.ts';
import type { GraphContext } from '../../../context.ts';
import type { OwningWorkspace } from '../../caller.ts';
import { threadModel } from '../../thread/index.ts';
import { LineClock } from './line-clock.ts';

/** What the lines of one import have in common. */
export type Scene = {
  context: GraphContext;
  owner: OwningWorkspace;
  clock: LineClock;
  /** Throws VALIDATION_FAILED where a thread is not one of the workspace, or a run answers it now. */
  requireThread(id: string): Promise<void>;
};

export function newScene(context: GraphContext, owner: OwningWorkspace): Scene {
  /** The thread that the last line named: most follow each other. */
  let last: { id: string; checked: Promise<void> } | null = null;
  async function check(id: string): Promise<void> {
    // Conversations lie in the same collection.
    if (!id.startsWith('thread_') || !(await threadModel(context.db).exists({ _id: id, ...owner })))
      throw refused(
        'thread_id',
        'thread_id names no thread of this workspace; the line of a thread comes first.',
      );
    if (await context.runs.activeRun(id))
      throw refused('thread_id', 'thread_id names a thread that a run answers now; import it again later.');
  }
  return {
    context,
    owner,
    clock: new LineClock(),
    requireThread(id) {
      if (last?.id !== id) last = { id, checked: check(id) };
      return last.checked;
    },
  };
}

/** A line that is not taken, with the member at fault. */
export const refused = (param: string, message: string): GatewayError =>
  new GatewayError('VALIDATION_FAILED', { message, param });

/**
 * Whether a document under a chosen id was stored by `insert`, or is there already in the workspace. One of another workspace is
 * refused in the words that an id without form gets, so that nobody learns what others have.
 */
export async function isStored(
  insert: () => Promise<unknown>,
  isOwn: () => Promise<unknown>,
  { id, prefix }: { id: string; prefix: string },
): Promise<boolean> {
  requireForm(id, prefix);
  try {
    await insert();
    return true;
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== 11000) throw error;
    if (await isOwn()) return false;
    throw unusable(prefix);
  }
}

const form = /^[A-Za-z0-9_-]{1,200}$/;

/** Throws VALIDATION_FAILED for what can be no id of its kind. */
export function requireForm(id: string, prefix: string): void {
  if (!id.startsWith(prefix) || !form.test(id)) throw unusable(prefix);
}

const unusable = (prefix: string): GatewayError =>
  refused(
    'id',
    `id cannot be used: an id that begins with ${prefix} is needed, of letters, digits, _ and -, that is free.`,
  );
