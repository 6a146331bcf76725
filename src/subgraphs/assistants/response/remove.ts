import { runEventBatchModel } from '../../../runs/index.ts';
import { threadModel } from '../thread/index.ts';
import { keptItemModel } from '../thread-message/index.ts';
import type { ResponseServices } from './services.ts';

type Place = { _id: string; organisationId: string; workspaceId: string };

/** Removes a response with what was asked and said; what a conversation has of it stays there. */
export async function removeResponse({ db, runs }: ResponseServices, response: Place): Promise<void> {
  const { _id, organisationId, workspaceId } = response;
  const owner = { organisationId, workspaceId };
  await runs.forgetRun(_id);
  await runEventBatchModel(db).deleteMany({ runId: _id, ...owner });
  await keptItemModel(db).deleteMany({ threadId: _id, ...owner });
  await threadModel(db).deleteOne({ _id, ...owner });
}
