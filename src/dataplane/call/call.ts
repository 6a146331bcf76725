import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { KeyRecord } from '../../directory/memory.ts';
import type { Placeholders } from '../../guardrails/segments/index.ts';
import type { Leaf, Plan } from '../../routing-config/plan.ts';
import type { Form } from '../forms/form.ts';
import type { CallLimits } from '../limits/call-limits.ts';
import type { ClientDisconnect } from './client-disconnect.ts';
import type { Route } from './routes.ts';
import type { Span, Trace } from './trace.ts';
import type { Tries } from './tries.ts';

/** The body of a call. JSON is parsed once; `bytes` are what the caller sent and what is sent on when nothing changes it. */
export type RequestBody =
  | { kind: 'none' }
  | { kind: 'json'; bytes: Buffer; value: Record<string, unknown> }
  | { kind: 'bytes'; bytes: Buffer; form: Form | null }
  /**
   * Too large or of unknown length: goes upstream as it comes, so it can be sent only once. Of a form the beginning was
   * read, and the stream is what follows.
   */
  | { kind: 'stream'; stream: Readable; form: Form | null };

/** One data-plane request on its way through the steps. */
export type Call = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  /** Path and query below `/v1`. */
  readonly path: string;
  readonly query: string;
  readonly route: Route;
  readonly requestId: string;
  readonly trace: Trace;
  /** Gateways that the request came through before this one. */
  readonly hops: number;
  readonly disconnect: ClientDisconnect;
  /** `atTargets`: milliseconds that the targets tried so far took. */
  readonly clock: { startedAt: number; createdAt: Date; atTargets: number };
  readonly tries: Tries;

  readonly key: KeyRecord;
  /** The workspace of the key: everything on the data plane belongs to one. */
  readonly workspaceId: string;
  /** The gateway key as it came: it goes to no provider. */
  readonly secret: string;
  /** The caller's own `Authorization`, when it is meant for the provider. */
  readonly providerAuthorization: string | null;

  /** The span of the target that is tried now; before the first one, the call's own. */
  span: Span;

  // Filled in by the steps, in the order of `pipeline.ts`.
  body: RequestBody;
  metadata: Record<string, string>;
  plan: Plan;
  /** How the walk came to the next target, since the last one was recorded: encoded steps. */
  routing: string[];
  /** The target that is tried now; null before the first one. */
  leaf: Leaf | null;
  /** Null where no limit is about the caller. */
  limits: CallLimits | null;
  savedConfig: { id: string; slug: string; versionId: string } | null;
  /** Numbers of texts that guardrails replaced; null where nothing was checked yet. */
  placeholders: Placeholders | null;
  /** It has a place among the open calls, which it gives back at its end. */
  isOpen: boolean;
};
