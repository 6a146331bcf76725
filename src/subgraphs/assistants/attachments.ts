import { hash } from 'node:crypto';
import { GatewayError } from '../../errors/index.ts';
import type { ContentPart, MessageAttachment } from '../../runs/items.ts';
import type { ToolResources } from '../../runs/settings.ts';
import type { GraphContext } from '../context.ts';
import { chunkingOf } from './members/index.ts';
import {
  attach,
  existingFiles,
  insertStore,
  newStore,
  renewStore,
  vectorStoreModel,
  writableVectorStore,
} from './vector-store/index.ts';

/** Days without use after which a vector store expires that was made for attachments. */
const DAYS = 7;
/** Files that the code of a thread may use. */
const MOST_CODE_FILES = 20;

type Thread = { _id: string; organisationId: string; workspaceId: string; toolResources: ToolResources };
/** What of a message may name files. */
export type MessageWithFiles = { content: ContentPart[]; attachments?: MessageAttachment[] };

type Brought = { resources: ToolResources; store(): Promise<void> };

/**
 * What a thread's tools may use once it has messages with attachments. `store` has the files indexed, in the thread's vector store,
 * which it makes where there is none. Images only have to be there. Throws NOT_FOUND for a file that the workspace does not have.
 */
export async function broughtBy(
  context: GraphContext,
  thread: Thread,
  messages: readonly MessageWithFiles[],
): Promise<Brought | null> {
  const images = messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'image_file' ? [{ fileId: part.image_file.file_id }] : [])),
  );
  await existingFiles(context, thread, images);
  const attachments = messages.flatMap((message) => message.attachments ?? []);
  if (attachments.length === 0) return null;
  const filesFor = (tool: string) =>
    attachments
      .filter(({ tools }) => tools.some(({ type }) => type === tool))
      .map(({ file_id: fileId }) => ({ fileId }));
  const known = await existingFiles(
    context,
    thread,
    attachments.map(({ file_id: fileId }) => ({ fileId })),
  );
  const searched = new Set(filesFor('file_search').map(({ fileId }) => fileId));
  const files = known.filter(({ fileId }) => searched.has(fileId));
  const code = codeFiles(
    thread,
    filesFor('code_interpreter').map(({ fileId }) => fileId),
  );
  const resources = { ...thread.toolResources, ...(code && { code_interpreter: { file_ids: code } }) };
  if (files.length === 0) return { resources, store: async () => undefined };
  const [named] = thread.toolResources.file_search?.vector_store_ids ?? [];
  const storeId = named ?? ownStoreId(thread._id);
  return {
    resources: { ...resources, file_search: { vector_store_ids: [storeId] } },
    async store() {
      if (named === undefined) await ownStore(context, thread, storeId);
      const chunked = files.map((file) => ({ ...file, attributes: {}, chunking: chunkingOf(null, '') }));
      await attach(context, await writableVectorStore(context, storeId), { files: chunked, batchId: null });
    },
  };
}

function codeFiles({ toolResources }: Thread, added: readonly string[]): string[] | null {
  if (added.length === 0) return null;
  const all = [...new Set([...(toolResources.code_interpreter?.file_ids ?? []), ...added])];
  if (all.length <= MOST_CODE_FILES) return all;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `A thread has at most ${MOST_CODE_FILES} files for code_interpreter, and this one would have ${all.length}.`,
  });
}

/** The store of a thread has an id that follows from the thread's: two messages at a time make one. */
export const ownStoreId = (threadId: string): string => `vs_${hash('sha256', threadId, 'hex').slice(0, 24)}`;

async function ownStore(context: GraphContext, thread: Thread, _id: string): Promise<void> {
  const { organisationId, workspaceId } = thread;
  const owner = { organisationId, workspaceId };
  if (await vectorStoreModel(context.db).exists({ _id, ...owner })) {
    await renewStore(context, _id, DAYS);
    return;
  }
  const store = newStore(context, owner, { _id, expiresAfterDays: DAYS });
  await insertStore(context, store).catch((error: { code?: unknown }) => {
    // Another message made it meanwhile.
    if (error.code !== 11000) throw error;
  });
}
