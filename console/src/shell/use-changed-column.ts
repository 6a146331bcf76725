import { dateAndTime } from '../format/time.ts';
import type { Column } from '../ui/index.ts';
import { useZone } from './stored.ts';

/** The last column of a table: when each row was changed, in the zone that is chosen. */
export function useChangedColumn(): Column<{ lastUpdatedAt: string }> {
  const [zone] = useZone();
  return {
    key: 'changed',
    head: 'Changed',
    align: 'end',
    cell: ({ lastUpdatedAt }) => dateAndTime(lastUpdatedAt, zone),
  };
}
