/** An operation that the service knows by the SHA-256 of its text, with the types of its answer and its variables. */
export type Document<Answer, Variables> = {
  name: string;
  hash: string;
  /** Carries the types alone; no value has it. */
  readonly types?: { answer: Answer; variables: Variables };
};
