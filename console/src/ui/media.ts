import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(width < 640px)');

function subscribe(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
}

/** Whether the page is as narrow as that of a telephone: tables become lists there, and drawers become pages. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
