import { classes } from './classes.ts';

type SegmentsProps<Value extends string> = {
  choices: readonly { value: Value; label: string }[];
  value: Value;
  onChange(value: Value): void;
  label: string;
};

/** One of two to four views, all of them in sight. */
export function Segments<Value extends string>({ choices, value, onChange, label }: SegmentsProps<Value>) {
  return (
    <fieldset
      aria-label={label}
      className="inline-flex h-7 max-sm:h-11 shrink-0 self-start rounded-control border border-strong bg-surface p-px"
    >
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className={classes(
            'rounded-[5px] px-2 text-body transition-colors',
            choice.value === value ? 'bg-tint text-accent' : 'text-muted hover:text-text',
          )}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
