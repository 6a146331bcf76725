import { randomId, timeOrderedId } from '../../src/runs/ids.ts';
import type { ThreadItem } from '../../src/runs/items.ts';
import { assistantModel, assistantVersionModel } from '../../src/subgraphs/assistants/assistant/model.ts';
import { threadModel } from '../../src/subgraphs/assistants/thread/index.ts';
import { threadItemModel } from '../../src/subgraphs/assistants/thread-message/index.ts';
import type { Tenant, TestApp } from './app.ts';

/** Assistants with versions, and a thread with messages, in a tenant's own workspace; the ids of the first of them. */
export async function fillThreads(app: TestApp, tenant: Tenant, size: number) {
  const owner = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
  const each = Array.from({ length: size }, (_, at) => at);
  const assistantIds = each.map(() => timeOrderedId('asst'));
  const [assistantId = ''] = assistantIds;
  const members = { ...owner, model: '@mock/mock-1', version: 1 };
  await assistantModel(app.db).insertMany(assistantIds.map((_id) => ({ _id, ...members })));
  await assistantVersionModel(app.db).insertMany(
    assistantIds.flatMap((id) =>
      each.map((at) => ({
        ...members,
        _id: `${id}-${at + 1}`,
        assistantId: id,
        version: at + 1,
        createdBy: 'somebody',
        createdAt: new Date(),
      })),
    ),
  );
  const threadId = randomId('thread');
  await threadModel(app.db).create({ _id: threadId, ...owner });
  const items: ThreadItem[] = each.map((at) => ({
    _id: timeOrderedId('msg'),
    kind: 'message',
    ...owner,
    threadId,
    runId: null,
    fence: 0,
    turn: 0,
    finish: null,
    role: 'user',
    content: [{ type: 'text', text: { value: `Message ${at}`, annotations: [] } }],
    status: 'incomplete',
    incompleteReason: 'max_tokens',
    completedAt: null,
    incompleteAt: null,
    assistantId: null,
    metadata: {},
    createdAt: new Date(),
  }));
  await threadItemModel(app.db).collection.insertMany(items as never);
  return { assistantId, threadId };
}
