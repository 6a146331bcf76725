import { credentialOf } from '../../../authentication/authenticate.ts';
import { BATCH_TIME_MS, type BatchDocument, type batchEndpoints, noTokens } from '../../../batches/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import { sealCaller, traceOf } from '../../../runs/caller.ts';
import type { GraphContext } from '../../context.ts';
import { type CursorArguments, findCursorPage } from '../../cursor-page.ts';
import { loaderById } from '../../loading.ts';
import type { CreateBatchInput } from '../../types.generated.ts';
import { notFound, requireId, requireReader, requireWriter, visible } from '../caller.ts';
import { fileContent } from '../file/index.ts';
import { metadataOf } from '../members/index.ts';
import { batchModel } from './model.ts';

const batchById = loaderById(batchModel, visible);

/** For references from other resources: null when the batch is out of the credential's reach. */
export async function referencedBatch(context: GraphContext, id: string): Promise<BatchDocument | null> {
  requireReader(context);
  return batchById(context).load(id);
}

export async function getBatch(context: GraphContext, id: string): Promise<BatchDocument> {
  requireId('batch', id);
  const found = await referencedBatch(context, id);
  if (!found) throw notFound('batch', id);
  return found;
}

export async function listBatches(context: GraphContext, args: CursorArguments) {
  return findCursorPage<BatchDocument>(batchModel(context.db), visible(requireReader(context)), {}, args);
}

/** Stores a batch and begins it; what is wrong with its lines is told of the batch. */
export async function createBatch(context: GraphContext, input: CreateBatchInput): Promise<BatchDocument> {
  const owner = requireWriter(context);
  requireId('file', input.inputFileId);
  const file = await context.files.find(owner, input.inputFileId);
  if (!file) throw notFound('file', input.inputFileId);
  if (file.purpose !== 'batch') {
    throw new GatewayError('VALIDATION_FAILED', {
      message: `input.inputFileId must name a file with the purpose batch; this one is for ${file.purpose}.`,
      param: 'input.inputFileId',
      reason: 'invalid_value',
    });
  }
  const { headers } = context.request;
  if (!credentialOf(headers)) {
    throw new GatewayError('FORBIDDEN', {
      message: 'A batch calls models with the credential of its request: send an API key or a token.',
    });
  }
  const createdAt = context.now();
  const _id = `batch_${uuid().replaceAll('-', '')}`;
  return context.batches.create({
    _id,
    ...owner,
    endpoint: input.endpoint as (typeof batchEndpoints)[number],
    completionWindow: input.completionWindow,
    inputFileId: input.inputFileId,
    status: 'validating',
    active: true,
    problems: [],
    outputFileId: null,
    errorFileId: null,
    outputLastsSeconds: input.outputExpiresAfter?.seconds ?? null,
    counts: { total: 0, completed: 0, failed: 0 },
    tokens: noTokens,
    metadata: metadataOf(input.metadata, 'input.metadata'),
    sealedCaller: sealCaller(context.secrets, headers, _id),
    traceId: traceOf(headers, _id),
    createdBy: context.principal?.userId ?? context.principal?.id ?? '',
    createdAt,
    expiresAt: new Date(createdAt.getTime() + BATCH_TIME_MS),
    ...{ inProgressAt: null, finalizingAt: null, completedAt: null, failedAt: null },
    ...{ expiredAt: null, cancellingAt: null, cancelledAt: null },
  });
}

export async function cancelBatch(context: GraphContext, id: string): Promise<BatchDocument> {
  requireWriter(context);
  return context.batches.cancel(await getBatch(context, id));
}

/** The rows that a batch has answered. Throws NOT_FOUND where it has none, and says why. */
export async function batchOutput(context: GraphContext, id: string) {
  const { status, outputFileId, errorFileId } = await getBatch(context, id);
  if (outputFileId !== null) return fileContent(context, outputFileId);
  const errors = errorFileId === null ? '' : ` Its errors are in the file ${errorFileId}.`;
  throw new GatewayError('NOT_FOUND', {
    message: `The batch has no output: its status is ${status}.${errors}`,
  });
}
