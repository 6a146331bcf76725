import { useEffect } from 'react';
import { useDocument } from '../../../data/use-document.ts';
import { useSearch } from '../../../shell/address.ts';
import { ReplayedLogDocument } from '../documents.ts';

/** Brings the request of the log that the address names into the draft; answers the path that it went to. */
export function useReplayed(onRequest: (request: string) => void): string {
  const [{ log }] = useSearch();
  const { data } = useDocument(ReplayedLogDocument, { id: log ?? '' }, { isEnabled: log !== undefined });
  const replayed = log === undefined ? undefined : data?.log;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a log is brought once
  useEffect(() => {
    const body = replayed?.request?.body;
    if (body) onRequest(JSON.stringify(body, null, 2));
  }, [replayed?.id]);
  return /\/v1\/([^?]+)/.exec(replayed?.requestUrl ?? '')?.[1] ?? 'chat/completions';
}
