import type { ComponentProps } from 'react';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';

const looks = {
  primary: 'bg-accent text-on-accent border-transparent hover:brightness-110 font-[560]',
  plain: 'bg-surface text-text border-strong hover:bg-hover',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-surface text-bad border-bad hover:bg-bad/10 font-[560]',
};

export type ButtonLook = keyof typeof looks;

/** The classes of a button, for links that look like one. */
export const buttonClasses = (look: ButtonLook = 'plain', extra?: string): string =>
  classes(
    'inline-flex h-7 max-sm:h-11 shrink-0 items-center justify-center gap-1.5 rounded-control border px-2.5',
    'text-body whitespace-nowrap transition-[background-color,color,filter] select-none',
    'aria-pressed:border-accent aria-pressed:text-accent',
    'disabled:opacity-50 disabled:pointer-events-auto aria-disabled:opacity-50',
    looks[look],
    extra,
  );

type ButtonProps = Omit<ComponentProps<'button'>, 'title'> & {
  look?: ButtonLook;
  icon?: IconName;
  /** Why it cannot be pressed, or null: a button that is there is never silent about it. */
  refusal?: string | null;
  isBusy?: boolean;
};

export function Button({
  look = 'plain',
  icon,
  refusal,
  isBusy = false,
  className,
  children,
  ...rest
}: ButtonProps) {
  const isOff = refusal !== null && refusal !== undefined;
  return (
    <button
      type="button"
      {...rest}
      title={refusal ?? undefined}
      aria-busy={isBusy || undefined}
      disabled={rest.disabled || isOff || isBusy}
      className={buttonClasses(look, className)}
    >
      {icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'children' | 'title'> & {
  icon: IconName;
  /** What it does. */
  label: string;
  /** One or two letters in place of the sign. */
  letters?: string;
};

/** A button that is a sign alone; its label shows on hover. */
export function IconButton({ icon, label, letters, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={classes(
        'inline-grid size-7 max-sm:size-11 shrink-0 place-items-center rounded-control text-muted transition-colors',
        'hover:bg-hover hover:text-text disabled:opacity-40 aria-pressed:bg-tint aria-pressed:text-accent',
        className,
      )}
    >
      {letters ? (
        <span className="grid size-6 place-items-center rounded-full bg-tint text-meta font-[560] text-accent">
          {letters}
        </span>
      ) : (
        <Icon name={icon} />
      )}
    </button>
  );
}
