import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import type { ContentPart, MessageItem } from '../../../../runs/items.ts';
import { attachmentsOf, metadataOf, parsed } from '../../members/index.ts';
import { threadItemModel } from '../../thread-message/index.ts';
import { anyJson, id, moment, seconds, text } from './common.ts';
import { isStored, type Scene } from './scene.ts';

const MOST_PARTS = 1000;

const detail = z.enum(['auto', 'low', 'high']).default('auto');
const part = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.object({ value: text, annotations: z.array(z.record(z.string(), z.unknown())).default([]) }),
  }),
  z.object({ type: z.literal('image_file'), image_file: z.object({ file_id: id, detail }) }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: text.min(1), detail }) }),
  z.object({ type: z.literal('refusal'), refusal: text }),
]);

const reason = z.enum(['content_filter', 'max_tokens', 'run_cancelled', 'run_expired', 'run_failed']);

const schema = z.object({
  id,
  created_at: seconds,
  thread_id: id,
  // An API that knows no status knows whole messages alone.
  status: z.enum(['completed', 'incomplete']).nullish(),
  incomplete_details: z.object({ reason }).nullish(),
  completed_at: moment,
  incomplete_at: moment,
  role: z.enum(['user', 'assistant']),
  content: z.array(part).max(MOST_PARTS),
  assistant_id: id.nullish(),
  run_id: id.nullish(),
  attachments: anyJson,
  metadata: anyJson,
});

export async function takeMessage(scene: Scene, value: JsonObject): Promise<boolean> {
  const { context, owner, clock } = scene;
  const line = parsed(schema, value, '');
  const message: MessageItem = {
    _id: line.id,
    ...owner,
    threadId: line.thread_id,
    runId: line.run_id ?? null,
    fence: 0,
    turn: 0,
    finish: null,
    createdAt: clock.timeOf(value),
    kind: 'message',
    role: line.role,
    content: line.content as ContentPart[],
    attachments: attachmentsOf(line.attachments, 'attachments'),
    status: line.status ?? 'completed',
    incompleteReason: line.incomplete_details?.reason ?? null,
    completedAt: line.completed_at,
    incompleteAt: line.incomplete_at,
    assistantId: line.assistant_id ?? null,
    metadata: metadataOf(line.metadata, 'metadata'),
  };
  await scene.requireThread(line.thread_id);
  const items = threadItemModel(context.db);
  return isStored(
    () => items.collection.insertOne(message as never),
    () => items.exists({ _id: line.id, ...owner }),
    { id: line.id, prefix: 'msg_' },
  );
}
