import type { MouseEvent, ReactNode } from 'react';
import type { Term } from '../query/terms.ts';

export type AddTerm = (term: Term) => void;

type CellProps = { field: string; value: string; onAdd: AddTerm; children: ReactNode };

/** A value that narrows the list to itself when it is clicked, and leaves itself out with shift. */
export function FilterCell({ field, value, onAdd, children }: CellProps) {
  const onClick = (event: MouseEvent) => onAdd({ field, operator: ':', value, isNot: event.shiftKey });
  return (
    <button
      type="button"
      tabIndex={-1}
      onClick={onClick}
      title={`Only ${field} ${value}; with shift: without it`}
      className="max-w-full truncate rounded-[3px] align-middle underline-offset-2 hover:underline"
    >
      {children}
    </button>
  );
}
