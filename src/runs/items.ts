/** A part of a message, as the API shows it. */
export type ContentPart =
  | { type: 'text'; text: { value: string; annotations: unknown[] } }
  | { type: 'image_url'; image_url: { url: string; detail: string } }
  | { type: 'refusal'; refusal: string };

type Common = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  threadId: string;
  /** The run that made it; null for what a caller wrote. */
  runId: string | null;
  /** The claim under which the run wrote it: a later claim may write it anew, an earlier one may not. */
  fence: number;
  /** The turn of that run, from 0. */
  turn: number;
  /** How the turn ended that made it; null where it has not, and for what a caller wrote. */
  finish: TurnFinish | null;
  createdAt: Date;
};

export type TokenCounts = { promptTokens: number; completionTokens: number };

/** How a turn ended: why the model stopped, and what the turn took. */
export type TurnFinish = { reason: string; usage: TokenCounts; hasCalls: boolean };

export type MessageStatus = 'in_progress' | 'incomplete' | 'completed';
export type IncompleteReason =
  | 'content_filter'
  | 'max_tokens'
  | 'run_cancelled'
  | 'run_expired'
  | 'run_failed';

/** A message of a thread. */
export type MessageItem = Common & {
  kind: 'message';
  role: 'user' | 'assistant';
  content: ContentPart[];
  status: MessageStatus;
  incompleteReason: IncompleteReason | null;
  completedAt: Date | null;
  incompleteAt: Date | null;
  assistantId: string | null;
  metadata: Record<string, string>;
};

/** A call of a function that the model asks the caller to make. `output` is null until the caller has made it. */
export type FunctionCall = { id: string; name: string; arguments: string; output: string | null };

/** The calls of one turn of a run. Its id is that of the step that shows it. */
export type CallsItem = Common & { kind: 'calls'; calls: FunctionCall[] };

/** What was said and done on a thread, in order. */
export type ThreadItem = MessageItem | CallsItem;
