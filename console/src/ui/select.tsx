import { Select as Parts } from '@base-ui/react/select';
import { classes } from './classes.ts';
import { Field } from './field.tsx';
import { Icon } from './icons.tsx';
import { floating, item } from './menu.tsx';

export type Choice<Value extends string> = { value: Value; label: string; note?: string };

type SelectProps<Value extends string> = {
  choices: readonly Choice<Value>[];
  value: Value;
  onChange(value: Value): void;
  /** What is chosen, for those who do not see where it stands. */
  label: string;
  id?: string;
  className?: string;
  /** Without a border, as bars of tools have it. */
  isQuiet?: boolean;
};

/** One of a few values. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { choices, value, onChange, label, id, className, isQuiet } = props;
  return (
    <Parts.Root
      value={value}
      onValueChange={(chosen) => chosen !== null && onChange(chosen as Value)}
      items={choices.map((choice) => ({ value: choice.value, label: choice.label }))}
      modal={false}
    >
      <Parts.Trigger
        id={id}
        aria-label={label}
        className={classes(
          'inline-flex h-7 max-sm:h-11 min-w-0 items-center justify-between gap-1.5 rounded-control border px-2 text-body',
          'transition-colors hover:bg-hover data-[popup-open]:bg-hover',
          isQuiet ? 'border-transparent text-muted hover:text-text' : 'border-strong bg-surface',
          className,
        )}
      >
        <Parts.Value className="truncate" />
        <Icon name="down" size={12} />
      </Parts.Trigger>
      <Parts.Portal>
        <Parts.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50 outline-none">
          <Parts.Popup className={classes(floating, 'max-h-[min(24rem,var(--available-height))]')}>
            {choices.map((choice) => (
              <Parts.Item key={choice.value} value={choice.value} className={item}>
                <span className="grid size-4 place-items-center text-accent">
                  <Parts.ItemIndicator>
                    <Icon name="check" size={14} />
                  </Parts.ItemIndicator>
                </span>
                <Parts.ItemText className="flex-1">{choice.label}</Parts.ItemText>
                {choice.note && <span className="pl-4 text-meta text-faint">{choice.note}</span>}
              </Parts.Item>
            ))}
          </Parts.Popup>
        </Parts.Positioner>
      </Parts.Portal>
    </Parts.Root>
  );
}

type SelectFieldProps<Value extends string> = Omit<SelectProps<Value>, 'id' | 'isQuiet'> & {
  hint?: string;
  error?: string | null;
};

/** One of a few values, with its label above. */
export const SelectField = <Value extends string>({ hint, error, ...select }: SelectFieldProps<Value>) => (
  <Field label={select.label} hint={hint} error={error}>
    {({ id }) => <Select id={id} {...select} />}
  </Field>
);
