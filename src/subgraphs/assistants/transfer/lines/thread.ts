import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import { metadataOf, namedToolResourcesOf, parsed } from '../../members/index.ts';
import { type ThreadDocument, threadModel } from '../../thread/index.ts';
import { anyJson, id, seconds } from './common.ts';
import { isStored, type Scene } from './scene.ts';

const schema = z.object({ id, created_at: seconds, tool_resources: anyJson, metadata: anyJson });

export function takeThread({ context, owner, clock }: Scene, value: JsonObject): Promise<boolean> {
  const line = parsed(schema, value, '');
  const thread: ThreadDocument = {
    _id: line.id,
    ...owner,
    toolResources: namedToolResourcesOf(line.tool_resources, 'tool_resources') ?? {},
    metadata: metadataOf(line.metadata, 'metadata'),
    createdAt: clock.timeOf(value),
    // The time for which threads are kept begins with the import.
    lastUpdatedAt: context.now(),
  };
  const threads = threadModel(context.db);
  return isStored(
    () => threads.collection.insertOne(thread as never),
    () => threads.exists({ _id: line.id, ...owner }),
    { id: line.id, prefix: 'thread_' },
  );
}
