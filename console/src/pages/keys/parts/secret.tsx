import { CopyButton } from '../../../ui/index.ts';

/** A secret that is shown once. It is selected whole by a click, and nothing keeps it. */
export const Secret = ({ value }: { value: string }) => (
  <div className="flex flex-wrap items-center gap-2 rounded-control border border-accent bg-tint p-2">
    <output aria-label="Secret" className="mono min-w-0 flex-1 break-all select-all">
      {value}
    </output>
    <CopyButton text={value} />
  </div>
);
