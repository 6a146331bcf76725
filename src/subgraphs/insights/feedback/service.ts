import { ownRequestsFilter, type Principal, requireScope } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import { redact, redactText } from '../../../lib/redaction.ts';
import type { GraphContext } from '../../context.ts';
import { between } from '../../filters.ts';
import { newestFirst } from '../../order.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { CreateFeedbackInput, QueryFeedbacksArgs, UpdateFeedbackInput } from '../../types.generated.ts';
import { lastModelsOf } from '../log/index.ts';
import { feedbackById } from './loaders.ts';
import { type FeedbackDocument, feedbackModel } from './model.ts';

type ListArguments = QueryFeedbacksArgs & PageArguments;
type WorkspacePrincipal = Principal & { workspaceId: string };

const MAX_METADATA_LENGTH = 16_384;

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The feedback does not exist.' });

/** For references from other resources: null when the feedback is gone or out of the credential's reach. */
export async function referencedFeedback(
  context: GraphContext,
  id: string,
): Promise<FeedbackDocument | null> {
  requireScope(context.principal, ['feedbacks.read']);
  return feedbackById(context).load(id);
}

export async function listFeedback(context: GraphContext, args: ListArguments) {
  const principal = requireScope(context.principal, ['feedbacks.read']);
  const createdAt = between(args.createdAtMin, args.createdAtMax);
  const filter = {
    ...ownRequestsFilter(principal),
    ...(createdAt && { createdAt }),
    ...(args.traceId && { traceId: redactText(args.traceId) }),
  };
  return findPage(feedbackModel(context.db), filter, args, newestFirst);
}

export async function createFeedback(context: GraphContext, input: readonly CreateFeedbackInput[]) {
  const { organisationId, workspaceId, id, userId } = requireWriter(context);
  const members = input.map((item, index) => ({
    // As logs store it.
    traceId: redactText(item.traceId),
    value: item.value,
    weight: item.weight ?? 1,
    metadata: parseMetadata(item.metadata, `input[${index}].metadata`) ?? {},
  }));
  const owner = { organisationId, workspaceId };
  const models = await lastModelsOf(
    context,
    owner,
    members.map(({ traceId }) => traceId),
  );
  const now = context.now();
  const feedback = members.map(
    (member): FeedbackDocument => ({
      _id: uuid(),
      ...owner,
      ...member,
      apiKeyId: id,
      userId,
      aiModel: models.get(member.traceId) ?? null,
      createdAt: now,
      lastUpdatedAt: now,
    }),
  );
  await feedbackModel(context.db).insertMany(feedback);
  return resultOf(feedback, 'stored');
}

export async function updateFeedback(context: GraphContext, id: string, input: UpdateFeedbackInput) {
  const { organisationId, workspaceId } = requireWriter(context);
  const metadata = parseMetadata(input.metadata, 'input.metadata');
  const updated = await feedbackModel(context.db)
    .findOneAndUpdate(
      { _id: id, organisationId, workspaceId },
      { value: input.value, weight: input.weight ?? 1, ...(metadata && { metadata }) },
      { returnDocument: 'after' },
    )
    .lean<FeedbackDocument>();
  if (!updated) throw notFound();
  return resultOf([updated], 'updated');
}

/** Organisation-wide credentials neither give feedback nor change it. */
function requireWriter(context: GraphContext): WorkspacePrincipal {
  const principal = requireScope(context.principal, ['feedbacks.write']);
  const { workspaceId } = principal;
  if (workspaceId === null) {
    throw new GatewayError('FORBIDDEN', { message: 'Feedback is given with a workspace credential.' });
  }
  return { ...principal, workspaceId };
}

/** Null when there is none. A secret in a remark is masked, as in logs. */
function parseMetadata(value: unknown, param: string): Record<string, unknown> | null {
  if (value === undefined || value === null) return null;
  const invalid = (problem: string) => invalidInput(param, `${param} ${problem}`);
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid('must be an object.');
  if (JSON.stringify(value).length > MAX_METADATA_LENGTH) {
    throw invalid(`has at most ${MAX_METADATA_LENGTH} characters.`);
  }
  return redact(value) as Record<string, unknown>;
}

const resultOf = (feedback: FeedbackDocument[], done: string) => ({
  /** What the audit trail names, where there is one. */
  ...(feedback.length === 1 && { _id: feedback[0]?._id }),
  message: `Feedback ${done}.`,
  feedbackIds: feedback.map(({ _id }) => _id),
  feedback,
});
