import type { BatchDocument } from '../../src/batches/index.ts';
import { uuid } from '../../src/lib/ids.ts';
import { randomId, timeOrderedId } from '../../src/runs/ids.ts';
import type { ThreadItem } from '../../src/runs/items.ts';
import type { RunDocument } from '../../src/runs/run.ts';
import { assistantModel, assistantVersionModel } from '../../src/subgraphs/assistants/assistant/model.ts';
import { batchModel } from '../../src/subgraphs/assistants/batch/index.ts';
import { fileModel } from '../../src/subgraphs/assistants/file/index.ts';
import { runModel } from '../../src/subgraphs/assistants/run/index.ts';
import { threadModel } from '../../src/subgraphs/assistants/thread/index.ts';
import { threadItemModel } from '../../src/subgraphs/assistants/thread-message/index.ts';
import type { Tenant, TestApp } from './app.ts';
import { fillVectorStores } from './filled-stores.ts';

/** Assistants with versions, and a thread with messages and runs, in a tenant's own workspace; the ids of the first of them. */
export async function fillThreads(app: TestApp, tenant: Tenant, runIds: readonly string[]) {
  const size = runIds.length;
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
  const [runId = ''] = runIds;
  const messageIds = items.map(({ _id }) => _id);
  await runModel(app.db).collection.insertMany(
    runIds.map((id) => filledRun(id, { ...owner, threadId, assistantId }, messageIds)) as never,
  );
  const fileIds = each.map(() => `file-${uuid().replaceAll('-', '')}`);
  await fileModel(app.db).collection.insertMany(
    fileIds.map((_id, at) => ({
      ...{ _id, ...owner, filename: `file-${at}.txt`, purpose: 'assistants', bytes: at, sha256: '0' },
      ...{ contentName: 'none', createdAt: new Date(), expiresAt: null, createdBy: 'somebody' },
    })) as never,
  );
  const fileId = fileIds[0] ?? '';
  const stores = await fillVectorStores(app, owner, fileIds);
  const batches = each.map(() => filledBatch({ ...owner, inputFileId: fileId }, size));
  await batchModel(app.db).collection.insertMany(batches as never);
  return { assistantId, threadId, runId, fileId, batchId: batches[0]?._id ?? '', ...stores };
}

/** The first step of each run. */
export const FIRST_STEP = `step_${'0'.repeat(24)}`;

type Owned = Pick<RunDocument, 'organisationId' | 'workspaceId' | 'threadId' | 'assistantId'>;

/** A run that has ended, with whatever a run can have. */
function filledRun(_id: string, owned: Owned, messageIds: readonly string[]): RunDocument {
  const at = new Date();
  const usage = { promptTokens: 1, completionTokens: 1 };
  const lastError = { code: 'server_error', message: 'Filled.' } as const;
  return {
    _id,
    ...owned,
    ...{
      model: '@mock/mock-1',
      instructions: '',
      tools: [],
      toolResources: {},
      showsContents: false,
      isLogged: false,
    },
    ...{ temperature: null, topP: null },
    ...{ maxPromptTokens: null, maxCompletionTokens: null, toolChoice: 'auto', parallelToolCalls: true },
    ...{
      truncationStrategy: { type: 'auto', last_messages: null },
      responseFormat: 'auto',
      reasoningEffort: null,
    },
    ...{ assistantVersion: 1, status: 'failed', owner: null, fence: 1, attempt: 1, turn: 0, pending: [] },
    steps: messageIds.map((messageId, turn) => ({
      id: turn === 0 ? FIRST_STEP : timeOrderedId('step'),
      turn,
      type: 'tool_calls',
      isHosted: false,
      status: 'failed',
      messageId,
      ...{ createdAt: at, endedAt: at, usage, lastError },
    })),
    ...{
      usage,
      lastError,
      incompleteReason: 'max_completion_tokens',
      traceId: _id,
      metadata: {},
    },
    ...{
      dueAt: at,
      createdAt: at,
      startedAt: at,
      expiresAt: at,
      completedAt: at,
      cancelledAt: at,
      failedAt: at,
    },
  };
}

/** A batch that has ended, with whatever a batch can have. */
function filledBatch(
  owned: Pick<BatchDocument, 'organisationId' | 'workspaceId' | 'inputFileId'>,
  size: number,
): BatchDocument {
  const at = new Date();
  return {
    _id: `batch_${randomId('b').slice(2)}`,
    ...owned,
    ...{ endpoint: '/v1/embeddings', completionWindow: '24h', status: 'failed', metadata: {} },
    problems: Array.from({ length: size }, (_, line) => ({
      ...{ code: 'invalid_request', message: 'Filled.', param: 'url', line: line + 1 },
    })),
    ...{ outputFileId: owned.inputFileId, errorFileId: owned.inputFileId, outputLastsSeconds: null },
    counts: { total: 1, completed: 1, failed: 1 },
    tokens: { input: 1, output: 1, cached: 1, reasoning: 1 },
    ...{ traceId: 'filled', createdBy: 'somebody', createdAt: at, expiresAt: at, inProgressAt: at },
    ...{ finalizingAt: at, completedAt: at, failedAt: at, expiredAt: at, cancellingAt: at, cancelledAt: at },
  };
}
