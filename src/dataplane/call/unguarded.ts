const unguarded = new WeakSet<object>();

/** Lets a request of this process come under no guardrails. */
export const leaveUnguarded = (request: object): void => {
  unguarded.add(request);
};

/** Whether a request comes from a check of a guardrail, which no request from outside can claim. */
export const isUnguarded = (request: object): boolean => unguarded.has(request);
