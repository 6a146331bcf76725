import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(name: string): string | null {
  try {
    return localStorage.getItem(`sluice.${name}`);
  } catch {
    // A browser that keeps nothing has the defaults.
    return null;
  }
}

/** Keeps a preference of this browser. Secrets are none. */
export function store(name: string, value: string): void {
  try {
    localStorage.setItem(`sluice.${name}`, value);
  } catch {
    // It then holds for no longer than this page.
  }
  for (const listener of listeners) listener();
  dispatchEvent(new Event(`sluice-${name}`));
}

/** A preference of this browser, one of some values. */
export function useStored<Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): [Value, (value: Value) => void] {
  const stored = useSyncExternalStore(subscribe, () => read(name));
  const value = values.find((known) => known === stored) ?? values[0];
  return [value, (next) => store(name, next)];
}

/** In which zone times are shown. */
export const useZone = () => useStored('zone', ['local', 'utc']);
export const useTheme = () => useStored('theme', ['system', 'light', 'dark']);
/** Whether single keys are shortcuts. */
export const useShortcuts = () => useStored('keys', ['on', 'off']);
