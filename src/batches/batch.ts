import type { FileOwner } from '../files/index.ts';

export type BatchStatus =
  | 'validating'
  | 'failed'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'expired'
  | 'cancelling'
  | 'cancelled';

/** The paths whose calls lines may make. */
export const batchEndpoints = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
  '/v1/moderations',
] as const;
export type BatchEndpoint = (typeof batchEndpoints)[number];

/** What is wrong with a line of the input, or with the input itself (`line` null). */
export type BatchProblem = { code: string; message: string; param: string | null; line: number | null };

export type BatchTokens = { input: number; output: number; cached: number; reasoning: number };

export type BatchCounts = { total: number; completed: number; failed: number };

/** Many calls out of a file, whose answers become a file. */
export type BatchDocument = FileOwner & {
  /** `batch_…` */
  _id: string;
  endpoint: BatchEndpoint;
  completionWindow: string;
  inputFileId: string;
  status: BatchStatus;
  /** True until it has ended, then absent. */
  active?: true;
  problems: BatchProblem[];
  outputFileId: string | null;
  errorFileId: string | null;
  /** Seconds after which its files are deleted; null for never. */
  outputLastsSeconds: number | null;
  counts: BatchCounts;
  tokens: BatchTokens;
  metadata: Record<string, string>;
  /** The headers of the request that made it, sealed: each line is a call with them. Absent once it has ended. */
  sealedCaller?: string;
  /** All calls of its lines have it. */
  traceId: string;
  /** What its calls cost together; absent until all of them have long been in the log. Null where none has a price. */
  costNanodollars?: number | null;
  createdBy: string;
  createdAt: Date;
  /** Lines that were not begun by then are given up. */
  expiresAt: Date;
  inProgressAt: Date | null;
  finalizingAt: Date | null;
  completedAt: Date | null;
  failedAt: Date | null;
  expiredAt: Date | null;
  cancellingAt: Date | null;
  cancelledAt: Date | null;
};

/** What became of a line, until it stands in a file. */
export type BatchLineDocument = FileOwner & {
  /** Id of the batch and place of the line. */
  _id: string;
  batchId: string;
  /** Its place among the lines, from 0. */
  index: number;
  isFailed: boolean;
  tokens: BatchTokens;
  /** As it stands in the file: JSON without a line break. */
  row: string;
};

/** How long a batch may take, in milliseconds. */
export const BATCH_TIME_MS = 24 * 3_600_000;
/** Lines of an input at most, and its bytes. */
export const MOST_LINES = 50_000;
export const MAX_INPUT_BYTES = 200 * 1024 * 1024;

export const noTokens: BatchTokens = { input: 0, output: 0, cached: 0, reasoning: 0 };

export const tokensSum = (one: BatchTokens, other: BatchTokens): BatchTokens => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cached: one.cached + other.cached,
  reasoning: one.reasoning + other.reasoning,
});
