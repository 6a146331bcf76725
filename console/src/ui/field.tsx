import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes.ts';
import { Icon } from './icons.tsx';

const box =
  'w-full rounded-control border border-strong bg-surface px-2 text-body text-text placeholder:text-faint transition-colors ' +
  'hover:border-muted aria-invalid:border-bad disabled:opacity-60';

export const inputClasses = (extra?: string): string => classes(box, 'h-7 max-sm:h-11', extra);

type FieldProps = {
  label: string;
  /** What to know before filling it in. */
  hint?: ReactNode;
  /** What is wrong with the value. */
  error?: string | null;
  /** The control; it gets the ids that tie label, hint and error to it. */
  children(ids: FieldIds): ReactNode;
};

export type FieldIds = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true };

/** A control with its label above, and what is wrong with it below. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = error ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-meta font-[560] text-text">
        {label}
      </label>
      {children({
        id,
        ...(described && { 'aria-describedby': described }),
        ...(error && { 'aria-invalid': true as const }),
      })}
      {error ? (
        <p id={`${id}-error`} className="flex items-start gap-1 text-meta text-bad" role="alert">
          <Icon name="bad" size={14} /> {error}
        </p>
      ) : (
        hint && (
          <p id={`${id}-hint`} className="text-meta text-muted">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

type TextFieldProps = Omit<FieldProps, 'children'> & ComponentProps<'input'> & { isMono?: boolean };

/** A line of text with its label. */
export function TextField({ label, hint, error, isMono, className, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <input
          autoComplete="off"
          {...input}
          {...ids}
          className={inputClasses(classes(isMono && 'mono', className))}
        />
      )}
    </Field>
  );
}

type TextAreaProps = Omit<FieldProps, 'children'> & ComponentProps<'textarea'> & { isMono?: boolean };

/** Lines of text with their label. */
export function TextArea({ label, hint, error, isMono, className, ...area }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea rows={3} {...area} {...ids} className={classes(box, 'py-1', isMono && 'mono', className)} />
      )}
    </Field>
  );
}

type CheckProps = Omit<ComponentProps<'input'>, 'title'> & {
  label: ReactNode;
  /** Why it cannot be chosen. */
  refusal?: string | null;
};

/** A box to tick with its words beside it. */
export function Check({ label, refusal, className, ...input }: CheckProps) {
  return (
    <label
      title={refusal ?? undefined}
      className={classes('flex min-h-6 items-start gap-2 text-body', refusal && 'text-faint', className)}
    >
      <input
        type="checkbox"
        {...input}
        disabled={input.disabled || Boolean(refusal)}
        className="mt-[3px] size-3.5 accent-accent"
      />
      <span>{label}</span>
    </label>
  );
}
