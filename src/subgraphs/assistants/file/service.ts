import type { QueryFilter } from 'mongoose';
import { type FileDocument, notExpired } from '../../../files/index.ts';
import type { StoredContent } from '../../../storage/contents/index.ts';
import type { GraphContext } from '../../context.ts';
import { type CursorArguments, findCursorPage } from '../../cursor-page.ts';
import { loaderById } from '../../loading.ts';
import { notFound, requireId, requireReader, requireWriter, visible } from '../caller.ts';
import { formerPlaces, rememberPlace } from '../former-places.ts';
import { fileModel } from './model.ts';

const fileById = loaderById(fileModel, visible);

/** For references from other resources: null when the file is gone or out of the credential's reach. */
export async function referencedFile(context: GraphContext, id: string): Promise<FileDocument | null> {
  requireReader(context);
  const found = await fileById(context).load(id);
  return found && isThere(found, context.now()) ? found : null;
}

const isThere = ({ expiresAt }: FileDocument, now: Date): boolean => expiresAt === null || expiresAt > now;

/** A file that the caller reaches. Throws VALIDATION_FAILED for what is no id, and NOT_FOUND. */
export async function getFile(context: GraphContext, id: string): Promise<FileDocument> {
  requireId('file', id);
  const found = await referencedFile(context, id);
  if (!found) throw notFound('file', id);
  return found;
}

export async function listFiles(
  context: GraphContext,
  { purpose, ...args }: CursorArguments & { purpose?: string | null },
) {
  const tenant = visible(requireReader(context));
  const formerPlace = formerPlaces(context, 'files', tenant);
  const filter = {
    ...notExpired(context.now()),
    ...(purpose != null && { purpose }),
  } as QueryFilter<FileDocument>;
  return findCursorPage<FileDocument>(fileModel(context.db), tenant, filter, { ...args, formerPlace });
}

export async function deleteFile(context: GraphContext, id: string): Promise<string> {
  const owner = requireWriter(context);
  requireId('file', id);
  const file = await context.files.find(owner, id);
  if (!file || !(await context.files.remove(owner, id))) throw notFound('file', id);
  await rememberPlace(context, 'files', file);
  return id;
}

/** A file and its bytes. Throws NOT_FOUND also where the content is lost. */
export async function fileContent(
  context: GraphContext,
  id: string,
): Promise<{ file: FileDocument; content: StoredContent }> {
  const file = await getFile(context, id);
  const content = await context.files.open(file);
  if (!content) throw notFound('file', id);
  return { file, content };
}
