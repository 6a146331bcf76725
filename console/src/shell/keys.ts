import { useEffect, useRef } from 'react';

/** What keys do: `l`, `/`, `g l` for one after the other, `mod+k` with the command or control key. */
export type Shortcuts = Record<string, () => void>;

/** Milliseconds in which the second key of two has to come. */
const SEQUENCE_MS = 1200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select, [role="textbox"]') !== null);

const areOff = (): boolean => {
  try {
    return localStorage.getItem('sluice.keys') === 'off';
  } catch {
    return false;
  }
};

let waiting: { key: string; until: number } | null = null;
const known = new Set<() => Shortcuts>();

function find(event: KeyboardEvent): (() => void) | undefined {
  const hasModifier = event.metaKey || event.ctrlKey;
  if (event.altKey || event.isComposing) return undefined;
  const names: string[] = [];
  if (hasModifier) names.push(`mod+${event.key.toLowerCase()}`);
  else if (!isTyping(event.target) && !areOff() && !event.defaultPrevented) {
    if (waiting && waiting.until > event.timeStamp) names.push(`${waiting.key} ${event.key}`);
    names.push(event.key);
  }
  // Whoever came last is nearest to the reader.
  for (const name of names) {
    for (const shortcuts of [...known].reverse()) {
      const action = shortcuts()[name];
      if (action) return action;
    }
  }
  return undefined;
}

addEventListener('keydown', (event) => {
  const action = find(event);
  const isFirst = event.key === 'g' && !event.metaKey && !event.ctrlKey && !isTyping(event.target);
  waiting = isFirst ? { key: 'g', until: event.timeStamp + SEQUENCE_MS } : null;
  if (!action) return;
  event.preventDefault();
  action();
});

/** Listens to keys while the part that asks is on the page. */
export function useKeys(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const read = () => current.current;
    known.add(read);
    return () => void known.delete(read);
  }, []);
}
