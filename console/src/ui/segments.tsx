import { classes } from './classes.ts';

type SegmentsProps<Value extends string> = {
  /** The word that each value is shown as, in the order of the views. */
  choices: Readonly<Record<Value, string>>;
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
      {(Object.keys(choices) as Value[]).map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === value}
          onClick={() => onChange(choice)}
          className={classes(
            'rounded-[5px] px-2 text-body transition-colors',
            choice === value ? 'bg-tint text-accent' : 'text-muted hover:text-text',
          )}
        >
          {choices[choice]}
        </button>
      ))}
    </fieldset>
  );
}
