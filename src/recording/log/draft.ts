import type { OwnPricing } from '../pricing/index.ts';
import type { CapturedAnswer } from './answers/capture.ts';
import type { McpFacts } from './mcp.ts';
import type { LogRecord } from './record.ts';

export type Headers = Record<string, string | string[] | undefined>;

/** The beginning of a body of `size` bytes. */
export type KeptBody = { bytes: Buffer; size: number };

export type KeptMessage = { headers: Headers; body: KeptBody };

/** Of which headers and bodies the log keeps a copy; `failed answers`: only of the answers of failed calls. */
export type KeptParts = 'all' | 'failed answers' | 'none';

/** One exchange with a provider as the data plane leaves it behind: JSON values, times and bytes only, since another thread takes it over. */
export type ExchangeDraft = {
  /** Derived fields still have their defaults. */
  record: LogRecord;
  requestHeaders: Headers;
  requestBody: KeptBody | null;
  /** The body in the caller's format, after the config's parameters, where the provider was asked in another format. */
  finalUntransformed: KeptBody | null;
  /** What went to the provider, when it differs from what the caller sent. */
  transformed: KeptMessage | null;
  response: CapturedAnswer | null;
  /** What the provider answered, where it was asked in another format. */
  original: KeptMessage | null;
  keeps: KeptParts;
  /** Lower-case names of further headers to mask. */
  sensitiveHeaders: string[];
  /** Secrets that may stand in an answer which is still compressed. */
  quotable: readonly string[];
  /** Null for the usual prices. */
  pricing: OwnPricing;
  /** The last of a call whose tries have spans of their own: after it the call itself has its span. */
  endsCall: boolean;
  /** Of a request to an MCP server, what its log knows beside: it becomes `mcp` of the record. Null for every other. */
  mcp: McpFacts | null;
};

/** The first `limit` bytes of a body. */
export const kept = (bytes: Buffer, limit: number): KeptBody => ({
  bytes: bytes.length > limit ? bytes.subarray(0, limit) : bytes,
  size: bytes.length,
});
