import { useElementScrollRestoration, useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';

/** The query of the address: all that a page shows is there, so that a link reproduces it. */
export type Search = Record<string, string>;

/** Reads and writes the query of the address. An empty value goes out of it. */
export function useSearch(): [Search, (changes: Record<string, string | null>, replace?: boolean) => void] {
  const search = useRouterState({ select: ({ location }) => location.search as Search });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Record<string, string | null>, replace = false) => {
      navigate({
        to: '.',
        search: (before: Search) => {
          const after = Object.entries({ ...before, ...changes }).filter(([, value]) => value);
          return Object.fromEntries(after) as never;
        },
        replace,
      } as never);
    },
    [navigate],
  );
  return [search, change];
}

/** Where the page is: the workspace as the address names it, `_` for all. */
export const useWorkspaceSlug = (): string =>
  (useParams({ strict: false }) as { workspace?: string }).workspace ?? '_';

/** Leads to a page of the same workspace. */
export function useGo(): (path: string, search?: Search) => void {
  const navigate = useNavigate();
  const slug = useWorkspaceSlug();
  return useCallback(
    (path, search = {}) => void navigate({ to: `/${slug}/${path}`, search } as never),
    [navigate, slug],
  );
}

/** The address of a page of the same workspace, for links. */
export function useHref(): (path: string, search?: Search) => string {
  const slug = useWorkspaceSlug();
  return useMemo(
    () =>
      (path, search = {}) => {
        const query = new URLSearchParams(search).toString();
        return (
          new URL(`${slug}/${path}${query ? `?${query}` : ''}`, document.baseURI).pathname +
          (query ? `?${query}` : '')
        );
      },
    [slug],
  );
}

/** Where whoever comes back to this address was in a list, in pixels from its top. The list needs the rows before it can go there. */
export function usePlace(id: string): { id: string; top: number } {
  return { id, top: useElementScrollRestoration({ id })?.scrollY ?? 0 };
}
