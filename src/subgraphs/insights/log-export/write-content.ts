import type { Connection } from 'mongoose';
import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { Contents } from '../../../storage/contents/index.ts';
import { exportQuery } from './filters.ts';
import { readLines } from './lines.ts';
import { contentName, type LogExportDocument, logExportModel } from './model.ts';

/** The export was cancelled, or another process has taken it up. */
export class Superseded extends Error {}

/** Where the logs and the contents are, and how long a content is kept. */
export type ContentOptions = { db: Connection; files: Contents; retentionDays: number; now: () => Date };

/** Processes that may die over one export before it counts as failed. */
const MAX_ATTEMPTS = 3;
const DAY = 24 * 60 * 60 * 1000;

/**
 * Writes the content of an export in progress and settles it: `success` once the whole is stored, `failed` when it could
 * not be. An aborted one stays in progress. What nobody will read any more is removed.
 */
export async function writeContent(options: ContentOptions, id: string, signal: AbortSignal): Promise<void> {
  const { db, files } = options;
  const attempt = uuid();
  const begun = await begin(db, id, attempt);
  if (!begun) return;
  // Of a process that died over it.
  if (begun.attempt !== null) await files.remove(contentName(id, begun.attempt));
  const settle = (end: Partial<LogExportDocument>) => settleAs(options, id, attempt, end);
  if (begun.attempts >= MAX_ATTEMPTS) {
    await settle({ status: 'failed', error: `It was interrupted ${MAX_ATTEMPTS} times.` });
    return;
  }
  const name = contentName(id, attempt);
  try {
    const counted = { records: 0 };
    await files.write(name, content(db, begun, { attempt, signal, counted }), signal);
    if (!(await settle({ status: 'success', records: counted.records }))) await files.remove(name);
  } catch (error) {
    if (signal.aborted) await giveBack(db, id, attempt);
    else if (!(error instanceof Superseded)) {
      await settle({ status: 'failed', error: reasonOf(error) });
    }
    throw error;
  }
}

/** In words for whoever drew it up: what the filters were refused for, such as a search among too many. */
const reasonOf = (error: unknown): string =>
  error instanceof GatewayError && error.code === 'VALIDATION_FAILED'
    ? error.message
    : 'Its content could not be read or stored.';

/** The export as it was before this try, which counts from now on; null when it is not in progress any more. */
const begin = (db: Connection, id: string, attempt: string) =>
  logExportModel(db)
    .findOneAndUpdate(
      { _id: id, status: 'in_progress' },
      { $set: { attempt }, $inc: { attempts: 1 } },
      { returnDocument: 'before' },
    )
    .lean<LogExportDocument>();

async function* content(
  db: Connection,
  logExport: LogExportDocument,
  { attempt, signal, counted }: { attempt: string; signal: AbortSignal; counted: { records: number } },
): AsyncGenerator<Buffer> {
  const { _id, organisationId, workspaceId, filters, requestedData } = logExport;
  const owner = { organisationId, workspaceId };
  const query = await exportQuery(db, logExport, signal);
  for await (const lines of readLines(db, { owner, query, requestedData, page: filters })) {
    signal.throwIfAborted();
    if (!(await logExportModel(db).exists({ _id, attempt, status: 'in_progress' }))) throw new Superseded();
    counted.records += lines.length;
    if (lines.length > 0) yield Buffer.from(lines.join(''));
  }
}

/** False when the export is not this try's any more. */
async function settleAs(
  { db, now, retentionDays }: ContentOptions,
  id: string,
  attempt: string,
  end: Partial<LogExportDocument>,
): Promise<boolean> {
  const finishedAt = now();
  const expiresAt = new Date(finishedAt.getTime() + retentionDays * DAY);
  const { matchedCount } = await logExportModel(db).updateOne(
    { _id: id, attempt, status: 'in_progress' },
    { ...end, finishedAt, expiresAt },
  );
  return matchedCount > 0;
}

/** A process that ends in order has not died over it. */
const giveBack = (db: Connection, id: string, attempt: string) =>
  logExportModel(db).updateOne({ _id: id, attempt, status: 'in_progress' }, { $inc: { attempts: -1 } });
