import { useMemo } from 'react';
import { useDocument } from '../../../data/use-document.ts';
import { GuardrailCatalogueDocument } from '../documents.ts';
import type { Kinds } from './draft.ts';

/** The kinds of checks that there are, by their ids; null until they are read. */
export function useKinds(): Kinds | null {
  const { data } = useDocument(GuardrailCatalogueDocument, {}, { freshFor: 3_600_000 });
  const kinds = data?.guardrailChecks;
  return useMemo(() => (kinds ? new Map(kinds.map((kind) => [kind.id, kind])) : null), [kinds]);
}
