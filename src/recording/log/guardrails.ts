/** What a check of a guardrail came to; nothing of the text that it looked at. */
export type LoggedCheck = {
  id: string;
  verdict: 'passed' | 'failed' | 'error' | 'skipped';
  /** Milliseconds. */
  time: number;
  /** Milliseconds from the guardrail's beginning to that of the check; absent for none. */
  after?: number;
  /** The name of the error; absent without one. */
  error?: string;
};

/** What a guardrail says of a call: a value from -10 to 10 that counts as much as its weight, from 0 to 1. */
export type LoggedFeedback = { value: number; weight: number; metadata: Record<string, string> };

/** What a guardrail came to in one phase of a call. */
export type LoggedGuardrail = {
  id: string;
  /** Null for one that is written in a config. */
  versionId: string | null;
  phase: 'input' | 'output';
  verdict: boolean;
  denied: boolean;
  transformed: boolean;
  async: boolean;
  /** Milliseconds. */
  time: number;
  createdAt: string;
  checks: LoggedCheck[];
  /** What it says of the call on the trace; null for nothing. */
  feedback: LoggedFeedback | null;
};

/** `exempted`: ids of the organisation's guardrails from which the workspace is exempt. */
export type LoggedGuardrails = { ran: LoggedGuardrail[]; exempted: string[] };

/** As a log stores it: text takes half the room of documents. */
export const encodeGuardrails = (logged: LoggedGuardrails): string => JSON.stringify(logged);

export const decodeGuardrails = (text: string): LoggedGuardrails => JSON.parse(text) as LoggedGuardrails;
