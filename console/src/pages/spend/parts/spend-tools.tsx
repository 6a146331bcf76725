import { useSearch } from '../../../shell/address.ts';
import { Button, Select } from '../../../ui/index.ts';
import { dimensions } from './dimension.ts';
import { csvOf, type Row } from './rows.ts';

type SpendToolsProps = { value: string; metadataKeys: readonly string[]; rows: readonly Row[]; head: string };

/** By what costs are told apart, and the table as a file. */
export function SpendTools({ value, metadataKeys, rows, head }: SpendToolsProps) {
  const [, change] = useSearch();
  const choices = [
    ...Object.entries(dimensions).map(([name, { label }]) => ({
      value: name,
      label: `By ${label.toLowerCase()}`,
    })),
    ...metadataKeys.map((key) => ({ value: `meta.${key}`, label: `By ${key}`, note: 'metadata' })),
  ];
  const known = choices.some((choice) => choice.value === value)
    ? choices
    : [...choices, { value, label: `By ${head}` }];
  return (
    <>
      <Select label="Told apart by" choices={known} value={value} onChange={(by) => change({ by })} />
      <Button
        icon="download"
        refusal={rows.length === 0 ? 'There is nothing to download.' : null}
        onClick={() => download(csvOf(head.toLowerCase(), rows))}
      >
        CSV
      </Button>
    </>
  );
}

function download(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'spend.csv';
  link.click();
  URL.revokeObjectURL(address);
}
