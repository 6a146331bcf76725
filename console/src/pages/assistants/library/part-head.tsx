import type { ReactNode } from 'react';
import { IconButton } from '../../../ui/index.ts';

/** The name of the thing in a drawer, what may be done to it, and the way out. */
export const PartHead = ({
  title,
  actions,
  onClose,
}: {
  title: string;
  actions?: ReactNode;
  onClose(): void;
}) => (
  <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3">
    <h2 className="min-w-0 flex-1 truncate text-lead font-[560]">{title}</h2>
    {actions}
    <IconButton icon="cross" label="Close" onClick={onClose} />
  </header>
);
