/** An exchange with a partner, as its documentation has it. */
export type Exchange = {
  id: string;
  parameters: Record<string, unknown>;
  phase?: 'input' | 'output';
  /** What the partner is sent. */
  origin: string;
  path: string;
  headers?: Record<string, string>;
  body: unknown;
  good: unknown;
  bad: unknown;
  /** Of the bad answer. */
  reasons: string[];
};

/** The text of all exchanges. */
export const TEXT = 'Ann says hello';
