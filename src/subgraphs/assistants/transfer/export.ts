import { requireScope } from '../../../auth/index.ts';
import { notExpired } from '../../../files/index.ts';
import { runShape } from '../../../runs/events/shapes.ts';
import type { CallsItem, MessageItem } from '../../../runs/items.ts';
import type { RunDocument } from '../../../runs/run.ts';
import type { GraphContext } from '../../context.ts';
import { assistantModel } from '../assistant/index.ts';
import { type OwningWorkspace, requireWorkspace } from '../caller.ts';
import { fileModel, fileShape } from '../file/index.ts';
import { runModel } from '../run/index.ts';
import { type ThreadDocument, threadModel, threadShape } from '../thread/index.ts';
import { threadItemModel } from '../thread-message/index.ts';
import { assistantLine, callsItemOf, messageLine, stepLine } from './shapes.ts';

/** The workspace whose conversations an administrator takes out or brings in. Throws FORBIDDEN. */
export const transferOwner = ({ principal }: GraphContext): OwningWorkspace =>
  requireWorkspace(requireScope(principal, ['workspaces.update']));

/** All that a workspace has of assistants, as lines of JSON; holds one document at a time. */
export async function* exportedLines(context: GraphContext, owner: OwningWorkspace): AsyncGenerator<Buffer> {
  for await (const value of exported(context, owner)) yield Buffer.from(`${JSON.stringify(value)}\n`);
}

async function* exported(context: GraphContext, owner: OwningWorkspace): AsyncGenerator<object> {
  const { db } = context;
  const files = fileModel(db)
    .find({ ...owner, ...notExpired(context.now()) })
    .sort({ createdAt: 1, _id: 1 });
  for await (const file of files.lean().cursor()) yield fileShape(file);
  const assistants = assistantModel(db).find(owner).sort({ createdAt: 1, _id: 1 });
  for await (const assistant of assistants.lean().cursor()) yield assistantLine(assistant);
  // Conversations lie in the same collection.
  const threads = threadModel(db)
    .find({ ...owner, _id: { $regex: '^thread_' } })
    .sort({ _id: 1 });
  for await (const thread of threads.lean<ThreadDocument[]>().cursor())
    yield* ofThread(context, owner, thread);
}

async function* ofThread(
  context: GraphContext,
  owner: OwningWorkspace,
  thread: ThreadDocument,
): AsyncGenerator<object> {
  yield threadShape(thread);
  const own = { ...owner, threadId: thread._id };
  const items = threadItemModel(context.db);
  const messages = items.find({ ...own, kind: 'message' } as object).sort({ createdAt: 1, _id: 1 });
  for await (const message of messages.lean<MessageItem[]>().cursor()) yield messageLine(message);
  const runs = runModel(context.db)
    .find({ ...own, response: { $exists: false } } as object)
    .sort({ createdAt: 1, _id: 1 });
  for await (const run of runs.lean<RunDocument[]>().cursor()) {
    yield runShape(run);
    for (const step of run.steps) {
      const itemId = callsItemOf(run, step);
      const item = itemId === null ? null : await items.findOne({ ...own, _id: itemId }).lean<CallsItem>();
      yield stepLine(run, step, item ? item.calls : []);
    }
  }
}
