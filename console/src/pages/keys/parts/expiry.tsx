import { dateAndTime } from '../../../format/time.ts';
import { Field, Select } from '../../../ui/index.ts';
import { inDays } from './key-form.ts';

type ExpiryProps = { value: string | null; onChange(value: string | null): void; error: string | null };

const terms = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
] as const;

/** When a key ends, counted from now. */
export function Expiry({ value, onChange, error }: ExpiryProps) {
  const shown = value === null ? 'Never' : dateAndTime(value, 'local');
  return (
    <Field label="Expires" error={error}>
      {({ id }) => (
        <Select<string>
          id={id}
          label="Expires"
          choices={[{ value: 'as is', label: shown }, ...terms]}
          value="as is"
          onChange={(term) => term !== 'as is' && onChange(term === 'never' ? null : inDays(Number(term)))}
        />
      )}
    </Field>
  );
}
