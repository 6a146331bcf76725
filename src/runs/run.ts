import type { KeptItem, MessageItem, RunCall, TokenCounts } from './items.ts';
import type { RunSettings } from './settings.ts';

export type RunStatus =
  | 'queued'
  | 'in_progress'
  | 'requires_action'
  | 'cancelling'
  | 'cancelled'
  | 'failed'
  | 'completed'
  | 'incomplete'
  | 'expired';

export type StepStatus = 'in_progress' | 'cancelled' | 'failed' | 'completed' | 'expired';

/** Why a run or a step failed, in the words of the API. */
export type RunError = { code: 'server_error' | 'rate_limit_exceeded' | 'invalid_prompt'; message: string };

/** What a run did, as it is stored with the run; what was said or asked stands in the thread's items. */
export type StepRecord = {
  id: string;
  turn: number;
  type: 'message_creation' | 'tool_calls';
  /** Whether its calls are those that the gateway runs; a turn may have a step of either kind. */
  isHosted: boolean;
  status: StepStatus;
  /** Null for a step of calls. */
  messageId: string | null;
  createdAt: Date;
  /** When it took its last status; null while it is in progress. */
  endedAt: Date | null;
  usage: TokenCounts | null;
  lastError: RunError | null;
};

export type RunDocument = RunSettings & {
  _id: string;
  organisationId: string;
  workspaceId: string;
  threadId: string;
  assistantId: string;
  /** The version of the assistant that it was made with. */
  assistantVersion: number;
  status: RunStatus;
  /** True until the run has ended, then absent: a thread has one such run at most. */
  active?: true;
  /** When somebody ended it who did not execute it; absent once nothing can be open any more that was said before. */
  closingSince?: Date;
  /** The process that executes it; null while none does. */
  owner: string | null;
  /** Counts the claims: a process whose claim is not the last one can write nothing any more. */
  fence: number;
  /** Counts the processes that have begun the present turn. */
  attempt: number;
  /** The turn that it is at, from 0. */
  turn: number;
  /** The calls that wait for their outputs, or for the caller's approval; empty in any status but `requires_action`. */
  pending: RunCall[];
  steps: StepRecord[];
  /** Of all turns so far; null before the first has ended. */
  usage: TokenCounts | null;
  lastError: RunError | null;
  incompleteReason: 'max_completion_tokens' | 'max_prompt_tokens' | null;
  /** The messages that came with its request: where its process died before they were stored, the next one stores them. */
  opening?: (MessageItem | KeptItem)[];
  /** The headers of the request that made it, sealed: each turn calls the model with them. Absent once it has ended. */
  sealedCaller?: string;
  /** Address of the gateway as its caller reached it, for links. Of runs with tools of MCP servers alone. */
  address?: string;
  /** All calls of its turns have it. */
  traceId: string;
  /** Whether its events are kept for a while, for those who follow it: where it was asked for as a stream. */
  isLogged: boolean;
  /** Whether its events show the texts that searches found. */
  showsContents: boolean;
  /** Of the runs of a workspace that wait for a place the one that is due first begins. */
  dueAt: Date;
  createdAt: Date;
  startedAt: Date | null;
  /** When a process last went on with it whose one before had died; absent where none had. */
  takenOverAt?: Date;
  expiresAt: Date;
  completedAt: Date | null;
  cancelledAt: Date | null;
  failedAt: Date | null;
  metadata: Record<string, string>;
  /** Of a run that is a response alone. */
  response?: ResponseRecord;
};

/** What a run has that is a response: JSON is kept as text, since callers and providers choose its names. */
export type ResponseRecord = {
  /** The request without what it says of storage, and without its input. */
  request: string;
  /** The conversation that it belongs to; null for none. */
  conversationId: string | null;
  /** The response that it goes on from; null for none. */
  previousId: string | null;
  /** All responses that it goes on from, oldest first. */
  ancestors: string[];
  isBackground: boolean;
  /** What the provider said beside the output; null before it has answered. */
  outcome: string | null;
};

/** A run that is a response. */
export type ResponseRun = RunDocument & { response: ResponseRecord };

export const isResponse = (run: RunDocument): run is ResponseRun => run.response !== undefined;

/** Milliseconds for which runs of a workspace wait behind newer ones whose callers read along: with a caller who polls, or with none. */
const PATIENCE_MS = { streamed: 0, polled: 30_000, inBackground: 60_000 };

/** When a run is due that comes at a moment. */
export const dueAtOf = (at: Date, kind: keyof typeof PATIENCE_MS): Date =>
  new Date(at.getTime() + PATIENCE_MS[kind]);

/** How long a run may take, in milliseconds. */
export const RUN_TIME_MS = 600_000;

/** When a run ends at the latest, as it is shown: null once it is completed or cancelled. */
export const shownExpiry = ({ status, expiresAt }: RunDocument): Date | null =>
  status === 'completed' || status === 'cancelled' ? null : expiresAt;

export const isEnded = ({ active }: Pick<RunDocument, 'active'>): boolean => active !== true;

/** Whether a run is past its time; one that is being cancelled ends by that. */
export const isOverdue = (run: Pick<RunDocument, 'active' | 'status' | 'expiresAt'>, now: Date): boolean =>
  !isEnded(run) && run.status !== 'cancelling' && run.expiresAt <= now;

export const sumOf = (first: TokenCounts | null, second: TokenCounts): TokenCounts => ({
  promptTokens: (first?.promptTokens ?? 0) + second.promptTokens,
  completionTokens: (first?.completionTokens ?? 0) + second.completionTokens,
});

/** The steps of a run with those that are open ended alike. */
export const withStepsEnded = (
  steps: readonly StepRecord[],
  status: Exclude<StepStatus, 'in_progress'>,
  at: Date,
  lastError: RunError | null = null,
): StepRecord[] =>
  steps.map((step) => (step.status === 'in_progress' ? { ...step, status, endedAt: at, lastError } : step));
