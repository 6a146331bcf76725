import { useState } from 'react';
import { Button, Check, Dialog } from '../../../ui/index.ts';
import { type ColumnName, columnNames } from './columns.tsx';

type ColumnChoiceProps = { shown: readonly ColumnName[]; onChange(shown: readonly ColumnName[]): void };

/** Which columns the list has; the choice is in the address. */
export function ColumnChoice({ shown, onChange }: ColumnChoiceProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="columns" className="max-md:hidden" onClick={() => setOpen(true)}>
        Columns
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Columns" size="small">
        <div className="grid grid-cols-2 gap-1">
          {columnNames.map((name) => (
            <Check
              key={name}
              label={name === 'ms' ? 'duration' : name === 'ttft' ? 'first token' : name}
              checked={shown.includes(name)}
              disabled={shown.length === 1 && shown.includes(name)}
              onChange={() => onChange(columnNames.filter((own) => (own === name) !== shown.includes(own)))}
            />
          ))}
        </div>
      </Dialog>
    </>
  );
}
