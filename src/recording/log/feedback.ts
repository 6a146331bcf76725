import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { redact } from '../../lib/redaction.ts';
import { isDuplicateBatch } from '../../storage/duplicates.ts';
import { decodeGuardrails, type LoggedGuardrail } from './guardrails.ts';
import type { LogRecord } from './record.ts';

/** The collection of what people and guardrails think of answers. */
export const FEEDBACK_COLLECTION = 'feedback';

/** What somebody, or a guardrail, thinks of an answer, as it is stored. */
export type StoredFeedback = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  traceId: string;
  /** A whole number from -10 to 10. */
  value: number;
  /** From 0 to 1. */
  weight: number;
  metadata: Record<string, unknown>;
  /** The credential that gave it, or that made the call on which a guardrail gave it. */
  apiKeyId: string;
  userId: string | null;
  /** Model of the trace's last log; null when there was none. */
  aiModel: string | null;
  createdAt: Date;
  lastUpdatedAt: Date;
};

/** Only a record with this text in its results has feedback to store: most have none, and are not decoded. */
const SIGN = '"feedback":{';

/**
 * Stores what guardrails say of calls, once for each guardrail, phase and call, however many tries the call had and however
 * often its records are given.
 */
export async function insertFeedback(db: Db, records: readonly LogRecord[]): Promise<void> {
  const rows = records.flatMap(feedbackOf);
  if (rows.length === 0) return;
  try {
    await db.collection<StoredFeedback>(FEEDBACK_COLLECTION).insertMany(rows, { ordered: false });
  } catch (error) {
    if (!isDuplicateBatch(error)) throw error;
  }
}

function feedbackOf(record: LogRecord): StoredFeedback[] {
  if (!record.guardrails?.includes(SIGN)) return [];
  return decodeGuardrails(record.guardrails).ran.flatMap((ran) => rowOf(record, ran) ?? []);
}

function rowOf(record: LogRecord, ran: LoggedGuardrail): StoredFeedback | null {
  const { id, phase, feedback } = ran;
  if (feedback === null) return null;
  const { organisationId, workspaceId, traceId, apiKeyId, userId, aiModel, createdAt } = record;
  return {
    _id: idFrom([organisationId, traceId, spanOfCall(record), id, phase]),
    ...{ organisationId, workspaceId, traceId },
    value: Math.round(feedback.value),
    weight: feedback.weight,
    metadata: redact({ ...feedback.metadata, guardrailId: id, phase }) as Record<string, unknown>,
    ...{ apiKeyId, userId, aiModel, createdAt, lastUpdatedAt: createdAt },
  };
}

/** The tries of a call have spans below that of the call, where it may have several. */
const spanOfCall = ({ spanId, parentSpanId, callerSpanId }: LogRecord): string =>
  parentSpanId === null || parentSpanId === callerSpanId ? spanId : parentSpanId;

/** A UUID (RFC 9562, version 8) that is the same for the same texts. */
function idFrom(texts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
