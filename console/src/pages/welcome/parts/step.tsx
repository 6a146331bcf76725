import type { ReactNode } from 'react';
import { classes, Icon } from '../../../ui/index.ts';

type StepProps = {
  number: number;
  title: string;
  state: 'done' | 'now' | 'later';
  note?: ReactNode;
  children?: ReactNode;
};

const words = { done: 'done', now: 'to do now', later: 'to do later' };

/** One of the three, with a sign for how far it is. */
export function Step({ number, title, state, note, children }: StepProps) {
  return (
    <section
      aria-label={`Step ${number}: ${title}, ${words[state]}`}
      className={classes(
        'rounded-panel border bg-surface',
        state === 'now' ? 'border-strong' : 'border-line',
      )}
    >
      <header className="flex min-h-12 items-center gap-3 px-4">
        <span
          className={classes(
            'grid size-6 place-items-center rounded-full text-meta font-[560]',
            state === 'done' && 'bg-ok/15 text-ok',
            state === 'now' && 'bg-accent text-on-accent',
            state === 'later' && 'border border-strong text-muted',
          )}
        >
          {state === 'done' ? <Icon name="check" size={14} /> : number}
        </span>
        <h2 className={classes('text-lead font-[560]', state === 'later' && 'text-muted')}>{title}</h2>
        {note && <span className="min-w-0 flex-1 truncate text-right text-muted">{note}</span>}
      </header>
      {children && <div className="px-4 pt-1 pb-4 sm:pl-13">{children}</div>}
    </section>
  );
}
