import { useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';
import { usePlace } from '../address.ts';

/** What somebody does who does not wait to be led anywhere. */
const acts = ['wheel', 'pointerdown', 'keydown'] as const;

/**
 * Leads whoever comes back to a page to where they were on it, as soon as the page is long enough for that: the router tries
 * once, which is before there are answers. Answers by which name the router remembers the place.
 */
export function useReturn(content: RefObject<HTMLElement | null>): string {
  const { id, top } = usePlace('content');
  const key = useRouterState({ select: ({ location }) => location.state.__TSR_key });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is that of the address which is come to
  useEffect(() => {
    const element = content.current;
    if (!element || top === 0) return;
    const observer = new MutationObserver(lead);
    const end = () => {
      observer.disconnect();
      for (const act of acts) element.removeEventListener(act, end);
    };
    function lead() {
      if (!element || element.scrollHeight - element.clientHeight < top) return;
      element.scrollTop = top;
      end();
    }
    observer.observe(element, { childList: true, subtree: true });
    for (const act of acts) element.addEventListener(act, end, { passive: true });
    lead();
    return end;
  }, [key]);
  return id;
}
