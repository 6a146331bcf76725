import { classes } from '../classes.ts';

type MeterProps = {
  /** Share of 1; more than 1 fills it. */
  share: number;
  /** What it is the share of. */
  label: string;
  tone?: 'accent' | 'warn' | 'bad' | 'other';
  className?: string;
};

const tones = { accent: 'bg-accent', warn: 'bg-warn', bad: 'bg-bad', other: 'bg-series-other' };

/** How much of something is reached. */
export function Meter({ share, label, tone = 'accent', className = 'w-24' }: MeterProps) {
  const percent = Math.round(Math.min(Math.max(share, 0), 1) * 100);
  return (
    <span
      role="meter"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className={classes('inline-block h-1.5 overflow-hidden rounded-full bg-line align-middle', className)}
    >
      <span className={classes('block h-full rounded-full', tones[tone])} style={{ width: `${percent}%` }} />
    </span>
  );
}
