const counted = new WeakSet<object>();

/** Has the rates of calls leave a request of this process out: they have counted the one on whose behalf it is made. */
export const leaveCounted = (request: object): void => {
  counted.add(request);
};

/** Whether the rates of calls have counted a request already, which none from outside can claim. */
export const isCounted = (request: object): boolean => counted.has(request);
