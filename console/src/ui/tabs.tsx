import { Tabs as Parts } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export type Tab = { value: string; label: string; note?: ReactNode; panel: ReactNode };

type TabsProps = { tabs: readonly Tab[]; value: string; onChange(value: string): void; label: string };

/** Several views of one thing, one at a time. */
export function Tabs({ tabs, value, onChange, label }: TabsProps) {
  return (
    <Parts.Root value={value} onValueChange={(chosen) => onChange(String(chosen))}>
      <Parts.List aria-label={label} className="flex gap-4 overflow-x-auto border-b border-line px-4 sm:px-6">
        {tabs.map((tab) => (
          <Parts.Tab
            key={tab.value}
            value={tab.value}
            className={
              '-mb-px flex h-9 shrink-0 items-center gap-1.5 border-b-2 border-transparent text-body text-muted ' +
              'transition-colors outline-offset-[-2px] hover:text-text data-[active]:border-accent data-[active]:text-text'
            }
          >
            {tab.label}
            {tab.note !== undefined && <span className="text-meta text-faint">{tab.note}</span>}
          </Parts.Tab>
        ))}
      </Parts.List>
      {tabs.map((tab) => (
        <Parts.Panel key={tab.value} value={tab.value} className="outline-none">
          {tab.panel}
        </Parts.Panel>
      ))}
    </Parts.Root>
  );
}
