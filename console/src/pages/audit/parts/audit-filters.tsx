import { useSearch } from '../../../shell/address.ts';
import { Select } from '../../../ui/index.ts';
import type { AuditQuery } from '../documents.ts';

const outcomes = [
  { value: 'all', label: 'Any outcome' },
  { value: 'success', label: 'Done' },
  { value: 'refused', label: 'Refused' },
  { value: 'failed', label: 'Failed' },
];

/** What the list is narrowed by; the address holds it. */
export function AuditFilters({ facets }: { facets: AuditQuery['auditLogFacets'] | undefined }) {
  const [search, change] = useSearch();
  const choose = (name: string) => (value: string) =>
    change({ [name]: value === 'all' ? null : value, page: null });
  return (
    <>
      <Select
        label="Kind of resource"
        choices={choicesOf('Anything', facets?.resourceTypes, search.resource)}
        value={search.resource ?? 'all'}
        onChange={choose('resource')}
      />
      <Select
        label="Action"
        choices={choicesOf('Any action', facets?.actions, search.action)}
        value={search.action ?? 'all'}
        onChange={choose('action')}
      />
      <Select
        label="Outcome"
        choices={outcomes}
        value={search.outcome ?? 'all'}
        onChange={choose('outcome')}
      />
    </>
  );
}

type Facet = { value: string; count: number };

function choicesOf(all: string, facets: readonly Facet[] = [], chosen: string | undefined) {
  const known = facets.map(({ value, count }) => ({
    value,
    label: value.replaceAll('_', ' '),
    note: String(count),
  }));
  const missing = chosen && !known.some(({ value }) => value === chosen);
  return [
    { value: 'all', label: all },
    ...known,
    ...(missing ? [{ value: chosen, label: chosen.replaceAll('_', ' '), note: '0' }] : []),
  ];
}
