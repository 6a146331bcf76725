import { useSyncExternalStore } from 'react';

let isSignedOut = false;
const listeners = new Set<() => void>();

/** Says that the sign-in is over, or that there is a new one. What is on the page stays below. */
export function setSignedOut(value: boolean): void {
  if (isSignedOut === value) return;
  isSignedOut = value;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSignedOut = (): boolean => useSyncExternalStore(subscribe, () => isSignedOut);
