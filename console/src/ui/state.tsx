import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';

/** Words for a state, with the sign that belongs to it; colour never stands alone. */
export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'none';

const tones: Record<Tone, { text: string; icon: IconName | null }> = {
  ok: { text: 'text-ok', icon: 'ok' },
  warn: { text: 'text-warn', icon: 'warn' },
  bad: { text: 'text-bad', icon: 'bad' },
  info: { text: 'text-info', icon: 'info' },
  none: { text: 'text-muted', icon: null },
};

export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  const { text, icon } = tones[tone];
  return (
    <span className={classes('inline-flex items-center gap-1 whitespace-nowrap', text)}>
      {icon && <Icon name={icon} size={13} />}
      {children}
    </span>
  );
}

/** A sentence above the content that says what holds for all of it. */
export function Banner({ tone, children, action }: { tone: Tone; children: ReactNode; action?: ReactNode }) {
  const { text, icon } = tones[tone];
  return (
    <div
      role="status"
      className="flex flex-wrap items-start gap-x-3 gap-y-1 rounded-control border border-line bg-sunken px-3 py-1.5"
    >
      {icon && (
        <span className={classes(text, 'pt-[3px]')}>
          <Icon name={icon} size={14} />
        </span>
      )}
      <div className="min-w-0 flex-1">{children}</div>
      {action}
    </div>
  );
}

type NoticeProps = { icon?: IconName; title: string; children?: ReactNode; action?: ReactNode };

/** What stands in place of content that is not there, with the way to it. */
export function Notice({ icon, title, children, action }: NoticeProps) {
  return (
    <div className="mx-auto flex max-w-[72ch] flex-col items-start gap-2 px-4 py-12">
      {icon && (
        <span className="text-faint">
          <Icon name={icon} size={20} />
        </span>
      )}
      <h2 className="text-lead font-[560]">{title}</h2>
      {children && <div className="w-full min-w-0 text-body text-muted">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap gap-2">{action}</div>}
    </div>
  );
}

/** A refusal or a failure, in the words of whoever refused, with another try. */
export function Failure({ title, message, onRetry }: { title: string; message: string; onRetry?(): void }) {
  return (
    <div role="alert">
      <Notice
        icon="bad"
        title={title}
        action={
          onRetry && (
            <Button icon="rotate" onClick={onRetry}>
              Retry
            </Button>
          )
        }
      >
        {message}
      </Notice>
    </div>
  );
}

/** True once something has taken so long that its place is to be shown. */
export function useIsSlow(isWaiting: boolean, milliseconds = 150): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isWaiting) return setSlow(false);
    const timer = setTimeout(() => setSlow(true), milliseconds);
    return () => clearTimeout(timer);
  }, [isWaiting, milliseconds]);
  return isSlow;
}

/** Lines in the place of rows that are on their way; nothing for the first 150 ms. */
export function SkeletonRows({ rows = 12, height = 32 }: { rows?: number; height?: number }) {
  const isSlow = useIsSlow(true);
  return (
    <div role="status" aria-label="Loading" style={{ minHeight: rows * height }}>
      {isSlow &&
        Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
          <div key={row} className="flex items-center gap-4 border-b border-line px-4" style={{ height }}>
            <div className="skeleton h-3 w-24" />
            <div className="skeleton h-3 w-12" />
            <div className="skeleton h-3" style={{ width: `${22 + ((row * 7) % 20)}%` }} />
            <div className="skeleton ml-auto h-3 w-16" />
          </div>
        ))}
    </div>
  );
}

/** The place of a figure or a line that is on its way. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden className={classes('skeleton inline-block h-3', className)} />
);
