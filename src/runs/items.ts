import type { HostedToolType } from './settings.ts';

/** A part of a message, as the API shows it. */
export type ContentPart =
  | { type: 'text'; text: { value: string; annotations: unknown[] } }
  | { type: 'image_file'; image_file: { file_id: string; detail: string } }
  | { type: 'image_url'; image_url: { url: string; detail: string } }
  | { type: 'refusal'; refusal: string };

/** What every item of a thread has. */
export type ItemCommon = {
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

/** A file that a message brings along, as the API shows it. */
export type MessageAttachment = { file_id: string; tools: { type: 'code_interpreter' | 'file_search' }[] };

/** A message of a thread. */
export type MessageItem = ItemCommon & {
  kind: 'message';
  role: 'user' | 'assistant';
  content: ContentPart[];
  /** Of callers' messages alone. */
  attachments?: MessageAttachment[];
  status: MessageStatus;
  incompleteReason: IncompleteReason | null;
  completedAt: Date | null;
  incompleteAt: Date | null;
  assistantId: string | null;
  metadata: Record<string, string>;
};

type CallCommon = {
  id: string;
  /** The function's name, as the model was offered it. */
  name: string;
  arguments: string;
  /** What the model is told in answer; null until the call has been answered. */
  output: string | null;
};

/** A call of a function that the caller runs. */
export type FunctionCall = CallCommon & { type: 'function' };

/** What a marker in the text of a message stands for. */
export type Citation = { marker: string; annotation: Record<string, unknown> };

/** A call of a tool that the gateway runs. */
export type HostedCall = CallCommon & {
  type: HostedToolType;
  /** What a step shows of it, as the tool wrote it. */
  details: Record<string, unknown>;
  /** What the next message begins with. */
  parts: ContentPart[];
  /** What later messages of the run may cite. */
  citations: Citation[];
  /** What became of it with the caller, who has to approve it before it is made; absent where nobody is asked. */
  approval?: 'asked' | 'given' | 'refused';
};

export type RunCall = FunctionCall | HostedCall;

export const isFunctionCall = (call: RunCall): call is FunctionCall => call.type === 'function';
export const isHostedCall = (call: RunCall): call is HostedCall => call.type !== 'function';

/** Whether a call has its place in the step that waits for the caller. */
export const isForCaller = (call: RunCall): boolean => isFunctionCall(call) || call.approval !== undefined;

/** The calls of one turn of a run, in the order in which the model made them. */
export type CallsItem = ItemCommon & { kind: 'calls'; calls: RunCall[] };

/** An item of a response or a conversation. `item`: its members as JSON, without id and type. */
export type KeptItem = ItemCommon & {
  kind: 'item';
  type: string;
  /** Whether the caller wrote it. */
  isInput: boolean;
  /** The id that it came with; null for none. */
  providerId: string | null;
  item: string;
};

/** What was said and done on a thread, in order. */
export type ThreadItem = MessageItem | CallsItem;
