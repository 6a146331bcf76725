import type { ReactNode } from 'react';
import { classes } from './classes.ts';

type PageProps = {
  title: string;
  /** The answer to the page's question, in words and one number. */
  answer?: ReactNode;
  actions?: ReactNode;
  /** Takes the rest of the window and scrolls within, as long lists do. */
  isWhole?: boolean;
  children: ReactNode;
};

/** The head of a page, and what is below it. */
export function Page({ title, answer, actions, isWhole, children }: PageProps) {
  return (
    <div className={classes('flex min-w-0 flex-col', isWhole && 'h-full min-h-0')}>
      <header className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 pt-4 pb-3 sm:px-6">
        <div className="min-w-0 flex-1 max-sm:basis-full">
          <h1 className="text-title font-[560] tracking-[-0.01em]">{title}</h1>
          {answer && <p className="mt-0.5 max-w-[100ch] text-lead text-muted">{answer}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

type SectionProps = { title: string; actions?: ReactNode; children: ReactNode; className?: string };

/** A part of a page with a title, in a panel. */
export function Section({ title, actions, children, className }: SectionProps) {
  return (
    <section className={classes('min-w-0 rounded-panel border border-line bg-surface', className)}>
      <header className="flex min-h-10 items-center gap-3 border-b border-line px-4">
        <h2 className="flex-1 truncate text-body font-[560]">{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

type FigureProps = { label: string; value: ReactNode; note?: ReactNode; chart?: ReactNode };

/** A number with its name above, and its course or a remark below. */
export function Figure({ label, value, note, chart }: FigureProps) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <span className="truncate text-meta text-faint">{label}</span>
      <span className="truncate text-title font-[560] tracking-[-0.01em]">{value}</span>
      {/* Charts of figures that stand side by side begin at one height. */}
      {(note || chart) && <span className="min-h-4 truncate text-meta text-muted">{note}</span>}
      {chart}
    </div>
  );
}
