import { Check, Field, TextArea, TextField } from '../field.tsx';
import { SelectField } from '../select.tsx';
import { kindOf, linesIn, type Schema, type Written } from './schema.ts';

type SchemaFormProps = {
  schema: Schema;
  written: Written;
  onChange(written: Written): void;
  /** What is wrong with a member; null where nothing is. */
  errorAt?(name: string): string | null;
};

/** A field for each member of an object that a JSON Schema describes. */
export function SchemaForm({ schema, written, onChange, errorAt }: SchemaFormProps) {
  return (
    <div className="flex flex-col gap-3">
      {Object.entries(schema.properties ?? {}).map(([name, own]) => (
        <Member
          key={name}
          name={name}
          schema={own}
          isRequired={schema.required?.includes(name) ?? false}
          value={written[name] ?? ''}
          error={errorAt?.(name) ?? null}
          onChange={(value) => onChange({ ...written, [name]: value })}
        />
      ))}
    </div>
  );
}

type MemberProps = {
  name: string;
  schema: Schema;
  isRequired: boolean;
  value: string;
  error: string | null;
  onChange(value: string): void;
};

function Member({ name, schema, isRequired, value, error, onChange }: MemberProps) {
  const label = isRequired && schema.default === undefined ? `${name} (required)` : name;
  const usual = schema.default === undefined ? undefined : String(schema.default);
  const text = { label, error, value, hint: schema.description };
  const onText = ({ target }: { target: { value: string } }) => onChange(target.value);
  switch (kindOf(schema)) {
    case 'flag':
      return (
        <Check
          label={
            <>
              {name} <span className="text-muted">{schema.description}</span>
            </>
          }
          checked={value === '' ? schema.default === true : value === 'true'}
          onChange={({ target }) => onChange(String(target.checked))}
        />
      );
    case 'choice': {
      const choices = (schema.enum ?? []).map((choice) => ({ value: String(choice), label: String(choice) }));
      const none = { value: '', label: usual === undefined ? 'not said' : `as usual: ${usual}` };
      return <SelectField {...text} choices={[none, ...choices]} onChange={onChange} />;
    }
    case 'picks':
      return <Picks label={label} schema={schema} value={value} error={error} onChange={onChange} />;
    case 'lines':
      return (
        <TextArea {...text} hint={`${schema.description ?? ''} One on each line.`} isMono onChange={onText} />
      );
    case 'json':
      return <TextArea {...text} hint={`${schema.description ?? ''} As JSON.`} isMono onChange={onText} />;
    default:
      return (
        <TextField
          {...text}
          type={schema.secret ? 'password' : 'text'}
          inputMode={kindOf(schema) === 'number' ? 'decimal' : undefined}
          placeholder={usual}
          isMono
          onFocus={({ target }) => schema.secret && target.select()}
          onChange={onText}
        />
      );
  }
}

type PicksProps = Omit<MemberProps, 'name' | 'isRequired'> & { label: string };

function Picks({ label, schema, value, error, onChange }: PicksProps) {
  const chosen = linesIn(value);
  const toggle = (choice: string) =>
    onChange(
      (chosen.includes(choice) ? chosen.filter((one) => one !== choice) : [...chosen, choice]).join('\n'),
    );
  return (
    <Field label={label} hint={schema.description} error={error}>
      {({ id }) => (
        <div id={id} role="group" aria-label={label} className="flex flex-wrap gap-x-4">
          {(schema.items?.enum ?? []).map(String).map((choice) => (
            <Check
              key={choice}
              label={choice}
              checked={chosen.includes(choice)}
              onChange={() => toggle(choice)}
            />
          ))}
        </div>
      )}
    </Field>
  );
}
