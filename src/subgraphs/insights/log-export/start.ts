import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { ownAddress } from '../../own-address.ts';
import type { LogExportStatus } from '../../types.generated.ts';
import { contentPath } from './content.ts';
import { contentName, type LogExportDocument, logExportModel } from './model.ts';
import { getLogExport, requireAllowed } from './service.ts';

/** Seconds for which a link to a content is good. */
const LINK_SECONDS = 3600;

const wrongState = (message: string, status: LogExportStatus) =>
  new GatewayError('VALIDATION_FAILED', { message: `${message}; this one is ${status}.` });

/** Lets the runner of this process, or of another, take the export up. */
export async function startLogExport(context: GraphContext, id: string) {
  const found = await getLogExport(context, id);
  await requireAllowed(context, found.workspaceId, found.requestedData);
  const started = await transition(context, found, ['draft', 'failed'], {
    status: 'in_progress',
    startedAt: context.now(),
    finishedAt: null,
    error: null,
    attempts: 0,
  });
  if (!started) throw wrongState('Only a draft, or an export that failed, can be started', found.status);
  context.exports.wake();
  return { _id: found._id, message: 'Export started.', logExport: started };
}

/** The runner sees it before its next lines, and throws away what it has. */
export async function cancelLogExport(context: GraphContext, id: string) {
  const found = await getLogExport(context, id);
  const stopped = await transition(context, found, ['in_progress'], {
    status: 'stopped',
    finishedAt: context.now(),
  });
  if (!stopped) throw wrongState('Only an export in progress can be cancelled', found.status);
  return { _id: found._id, message: 'Export cancelled.', logExport: stopped };
}

export async function logExportDownload(context: GraphContext, id: string): Promise<{ signedUrl: string }> {
  const { _id, status, attempt } = await getLogExport(context, id);
  if (status !== 'success' || attempt === null) {
    throw wrongState('Only an export that succeeded can be downloaded', status);
  }
  const elsewhere = await context.exports.files.link(contentName(_id, attempt), LINK_SECONDS);
  if (elsewhere !== null) return { signedUrl: elsewhere };
  const expires = Math.floor(context.now().getTime() / 1000) + LINK_SECONDS;
  return { signedUrl: ownAddress(context) + contentPath(context, _id, expires) };
}

const transition = (
  { db }: GraphContext,
  { _id, organisationId }: LogExportDocument,
  from: LogExportStatus[],
  to: Partial<LogExportDocument>,
) =>
  logExportModel(db)
    .findOneAndUpdate({ _id, organisationId, status: { $in: from } }, to, { returnDocument: 'after' })
    .lean<LogExportDocument>();
