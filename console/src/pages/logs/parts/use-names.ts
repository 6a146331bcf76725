import { useMemo } from 'react';
import { useDocument } from '../../../data/use-document.ts';
import { useViewer } from '../../../shell/session/viewer.ts';
import { LogNamesDocument } from '../documents.ts';
import type { Names } from '../query/field-kinds.ts';

/** The values that fields of the filter have in a time, the most frequent first. */
export type Suggestions = Readonly<Record<string, readonly string[]>>;

const none: Names = { keys: new Map(), kinds: [] };

const valuesOf = (page?: { data: readonly { value: string | null }[] } | null): string[] =>
  (page?.data ?? []).flatMap(({ value }) => (value === null ? [] : [value]));

/** Names of keys and of what was called, asked for when the filter needs them; null until they are there. */
export function useNames(isWanted: boolean, from: string): { names: Names | null; suggestions: Suggestions } {
  const { permissions } = useViewer();
  const keys = permissions.some((scope) => scope.endsWith('_api_keys.list'));
  // Within ten minutes the names are the same.
  const since = `${from.slice(0, 15)}0:00.000Z`;
  const { data, isError } = useDocument(
    LogNamesDocument,
    { filters: { timeOfGenerationMin: since }, keys },
    { isEnabled: isWanted, freshFor: 60_000 },
  );
  return useMemo((): { names: Names | null; suggestions: Suggestions } => {
    if (!data) return { names: isError || !isWanted ? none : null, suggestions: {} };
    const byName = new Map<string, string[]>();
    for (const { id, name } of data.apiKeys?.data ?? []) byName.set(name, [...(byName.get(name) ?? []), id]);
    return {
      names: { keys: byName, kinds: valuesOf(data.kinds) },
      suggestions: {
        model: valuesOf(data.models),
        provider: valuesOf(data.providers),
        config: valuesOf(data.configs),
        status: [...new Set(['2xx', '4xx', '5xx', ...valuesOf(data.statuses)])],
        path: valuesOf(data.endpoints),
        key: [...byName.keys()],
        cache: ['hit', 'miss', 'semantic_hit', 'semantic_miss', 'refresh', 'disabled'],
        error: ['yes', 'no'],
        stream: ['yes', 'no'],
      },
    };
  }, [data, isError, isWanted]);
}
