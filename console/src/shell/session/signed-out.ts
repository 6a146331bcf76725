import { useSyncExternalStore } from 'react';

/** That nobody is signed in, and why as the service says it; null for somebody who has left by themselves. */
type SignedOut = { reason: string | null };

let signedOut: SignedOut | null = null;
const listeners = new Set<() => void>();

function set(value: SignedOut | null): void {
  signedOut = value;
  for (const listener of listeners) listener();
}

/** Says that the sign-in is over. What is on the page stays below; the first reason is the one that counts. */
export function setSignedOut(reason: string | null): void {
  if (signedOut === null) set({ reason });
}

/** Says that somebody is signed in. */
export function setSignedIn(): void {
  if (signedOut !== null) set(null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSignedOut = (): SignedOut | null => useSyncExternalStore(subscribe, () => signedOut);
