import { timeOrderedId } from '../../../runs/ids.ts';
import type { GraphContext } from '../../context.ts';
import { type CursorArguments, findCursorPage } from '../../cursor-page.ts';
import { loaderById } from '../../loading.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { CreateAssistantInput, UpdateAssistantInput } from '../../types.generated.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { notFound, requireId, requireReader, requireWriter, visible } from '../caller.ts';
import { formerPlaces, rememberPlace } from '../former-places.ts';
import { requireMcpTools } from '../mcp-tools.ts';
import { checkedToolResources } from '../tool-resources.ts';
import { changedMembers, newMembers } from './members.ts';
import { type AssistantDocument, assistantModel, assistantVersionModel } from './model.ts';

const assistantById = loaderById(assistantModel, visible);

/** For references from other resources: null when the assistant is gone or out of the credential's reach. */
export async function referencedAssistant(
  context: GraphContext,
  id: string,
): Promise<AssistantDocument | null> {
  requireReader(context);
  return assistantById(context).load(id);
}

export async function getAssistant(context: GraphContext, id: string): Promise<AssistantDocument> {
  requireId('assistant', id);
  const found = await referencedAssistant(context, id);
  if (!found) throw notFound('assistant', id);
  return found;
}

export async function listAssistants(context: GraphContext, args: CursorArguments) {
  const tenant = visible(requireReader(context));
  const formerPlace = formerPlaces(context, 'assistants', tenant);
  return findCursorPage(assistantModel(context.db), tenant, {}, { ...args, formerPlace });
}

export async function listAssistantVersions(
  context: GraphContext,
  { assistantId, ...page }: PageArguments & { assistantId: string },
) {
  await getAssistant(context, assistantId);
  const tenant = visible(requireReader(context));
  return findPage(assistantVersionModel(context.db), { assistantId, ...tenant }, page, {
    by: { version: -1 },
  });
}

export async function createAssistant(
  context: GraphContext,
  input: CreateAssistantInput,
): Promise<AssistantDocument> {
  const owner = requireWriter(context);
  const given = await checkedToolResources(context, owner, input.toolResources, {
    param: 'input.toolResources',
    makesStores: true,
  });
  const members = newMembers(input);
  await requireMcpTools(context, members.tools, { ...owner, param: 'input.tools' });
  const now = context.now();
  const created = {
    _id: timeOrderedId('asst'),
    ...owner,
    ...members,
    toolResources: given.resources,
    version: 1,
    createdAt: now,
    lastUpdatedAt: now,
  };
  await given.store();
  await keepVersion(context, created);
  await assistantModel(context.db).collection.insertOne(created as never);
  return created;
}

export async function updateAssistant(
  context: GraphContext,
  id: string,
  input: UpdateAssistantInput,
): Promise<AssistantDocument> {
  const owner = requireWriter(context);
  requireId('assistant', id);
  const { resources } = await checkedToolResources(context, owner, input.toolResources, {
    param: 'input.toolResources',
    makesStores: false,
  });
  const members = changedMembers(input);
  await requireMcpTools(context, members.tools ?? [], { ...owner, param: 'input.tools' });
  const change = {
    ...members,
    ...(input.toolResources !== undefined && { toolResources: resources }),
  };
  const updated = await assistantModel(context.db)
    .findOneAndUpdate(
      { _id: id, ...owner, ...ifUnchanged(context) },
      { $set: change, $inc: { version: 1 } },
      { returnDocument: 'after' },
    )
    .lean<AssistantDocument>();
  if (!updated) throw notWritten(context, notFound('assistant', id));
  await keepVersion(context, updated);
  return updated;
}

export async function deleteAssistant(context: GraphContext, id: string): Promise<string> {
  const owner = requireWriter(context);
  requireId('assistant', id);
  const deleted = await assistantModel(context.db)
    .findOneAndDelete({ _id: id, ...owner, ...ifUnchanged(context) })
    .lean<AssistantDocument>();
  if (!deleted) throw notWritten(context, notFound('assistant', id));
  await Promise.all([
    assistantVersionModel(context.db).deleteMany({ assistantId: id, ...owner }),
    rememberPlace(context, 'assistants', deleted),
  ]);
  return id;
}

/** Keeps how an assistant is in its present version, unless that is kept already. */
export async function keepVersion(context: GraphContext, assistant: AssistantDocument): Promise<void> {
  const { _id: assistantId, version, createdAt: _made, lastUpdatedAt, ...members } = assistant;
  const kept = {
    ...members,
    assistantId,
    version,
    createdBy: context.principal?.userId ?? context.principal?.id,
    createdAt: lastUpdatedAt,
  };
  await assistantVersionModel(context.db).collection.updateOne(
    { _id: `${assistantId}-${version}` as never },
    { $setOnInsert: kept as never },
    { upsert: true },
  );
}

/** The assistant that a run names; NOT_FOUND in the words that programs know. */
export async function findAssistant(context: GraphContext, id: string): Promise<AssistantDocument> {
  const found = await referencedAssistant(context, id);
  if (!found) throw notFound('assistant', id);
  return found;
}
