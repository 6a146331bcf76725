import { type Dimension, EVERY_KEY, type Facet, USER_KEY } from '../../../recording/rollups/facets.ts';
import type { LogFilters } from '../../types.generated.ts';
import { metadataTexts } from './metadata.ts';
import { filtersDimensions, filtersLateDimensions, needsLogs, rowMatcher } from './rows.ts';

/** What roll-ups can say of the logs that filters let through. */
export type RollupView = {
  facet: Facet;
  matches(row: readonly Dimension[]): boolean;
  /** Whether a document that gave up these parts cannot say it. */
  isLackedBy(given: readonly string[]): boolean;
  /** Whether rows of versions before `endpoint` and `cacheStatus` cannot. */
  needsLateRows: boolean;
  /** Whether all that match are let through; else some of them may not be. */
  isExact: boolean;
};

/** Null where the filters ask for nothing that roll-ups tell requests apart by. */
export function viewOf(filters: LogFilters): RollupView | null {
  const texts = metadataTexts(filters.metadata, 'filters.metadata');
  const matches = rowMatcher(filters);
  const [key, text] = texts.find(([name]) => name !== USER_KEY) ?? texts[0] ?? [];
  if (key !== undefined) {
    const isUser = key === USER_KEY;
    return {
      facet: isUser ? 'users' : 'metadata',
      matches: isUser ? ([user]) => user === text : ([name, value]) => name === key && value === text,
      isLackedBy: (given) => given.includes(EVERY_KEY) || given.includes(key),
      needsLateRows: false,
      isExact: texts.length === 1 && !matches && !needsLogs({ ...filters, metadata: null }),
    };
  }
  if (!matches) return null;
  const givesUp = filtersDimensions(filters);
  return {
    facet: 'requests',
    matches,
    isLackedBy: (given) => givesUp && given.length > 0,
    needsLateRows: filtersLateDimensions(filters),
    isExact: !needsLogs(filters),
  };
}
