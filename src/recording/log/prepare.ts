import { modelInPath } from '../../providers/native-api.ts';
import { billedImages } from '../pricing/billed-images.ts';
import { type Bill, billFor, makesSomething } from '../pricing/index.ts';
import { answeredModel, answerText, findUsage, noUsage, type TokenUsage } from '../usage/index.ts';
import { plainAnswers } from './answers/plain-answers.ts';
import { messagesOf, sizeOf } from './bodies.ts';
import { BodyPacks } from './body-packs.ts';
import type { ExchangeDraft, KeptBody } from './draft.ts';
import { decodeMcpFacts } from './mcp.ts';
import type { LogEntry, LogRecord, Observed } from './record.ts';
import { maskRecord } from './redaction.ts';

export type PrepareOptions = {
  /** Lower-case names. */
  maskedHeaders: string[];
  bodies: 'full' | 'none';
  maxBodyBytes: number;
  retentionDays: number;
  bodyRetentionDays: number;
};

/** Logs as they are stored, and as metrics and spans are told of them. */
export type Prepared = { entries: LogEntry[]; made: Observed[] };

const DAY = 24 * 60 * 60 * 1000;

/**
 * Works out what drafts cost, and what is kept of them without secrets. Drafts that came together are to be prepared together:
 * the packs of their bodies then have the same ids whenever it is done again.
 */
export function createPrepare(options: PrepareOptions): (drafts: ExchangeDraft[]) => Promise<Prepared> {
  const { maskedHeaders, bodies, maxBodyBytes, retentionDays, bodyRetentionDays } = options;
  const after = (date: Date, days: number) => new Date(date.getTime() + days * DAY);

  /** Completes the draft's record in place: a copy would lose the shape that makes encoding it fast. */
  function toEntry(draft: ExchangeDraft, measures: Measures, packs: BodyPacks): LogEntry {
    const { record } = draft;
    const keeps =
      bodies === 'full' && (draft.keeps === 'all' || (draft.keeps === 'failed answers' && !record.isSuccess));
    maskRecord(record);
    Object.assign(record, measures satisfies Partial<LogRecord>);
    record.expiresAt = after(record.createdAt, retentionDays);
    if (!keeps) return { record, bodies: null };
    record.bodiesId = packs.idFor(record, sizeOf(draft));
    const expiresAt = after(record.createdAt, bodyRetentionDays);
    return { record, bodies: { expiresAt, ...messagesOf(draft, maxBodyBytes, maskedHeaders) } };
  }

  return async (drafts) => {
    const packs = new BodyPacks();
    const prepared: Prepared = { entries: [], made: [] };
    for (const packed of drafts) {
      const draft = { ...packed, ...(await plainAnswers(packed)) };
      draft.record.aiModel = modelInPath(draft.record.requestUrl) ?? draft.record.aiModel;
      const entry = toEntry(draft, await measure(draft), packs);
      prepared.entries.push(entry);
      prepared.made.push({ record: entry.record, endsCall: draft.endsCall });
    }
    return prepared;
  };
}

type Measures = TokenUsage & Bill;

/** The body in the caller's format, after the config's parameters. */
const askedBody = ({ finalUntransformed, transformed, requestBody }: ExchangeDraft): KeptBody | null =>
  finalUntransformed ?? transformed?.body ?? requestBody;

const billOfTool = (facts: string): Bill => ({
  costNanodollars: decodeMcpFacts(facts).costNanodollars,
  costLines: null,
  savingsNanodollars: null,
});

/** What a call used and what it costs. */
async function measure(draft: ExchangeDraft): Promise<Measures> {
  const { record, response, pricing } = draft;
  // A tool may answer anything, also what looks like the usage of a model.
  if (record.mcp !== null) return { ...noUsage.counts, ...billOfTool(record.mcp) };
  const answer = answerText(response);
  const isUse = makesSomething(record.requestMethod, record.responseStatusCode);
  const usage = answer && isUse ? findUsage(answer) : noUsage;
  const bill = await billFor({
    wasCalled: record.aiProvider !== null,
    provider: record.aiProvider,
    model: record.aiModel,
    answeredModel: () => answer && answeredModel(answer),
    at: record.createdAt,
    method: record.requestMethod,
    status: record.responseStatusCode,
    cacheStatus: record.cacheStatus,
    usage,
    images: usage.counts.tokenClasses ? null : billedImages(record, askedBody(draft)),
    own: pricing,
  });
  return { ...usage.counts, ...bill };
}
