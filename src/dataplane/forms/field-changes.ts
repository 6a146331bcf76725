import { GatewayError } from '../../errors/index.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import { type Form, type FormPart, fieldOf } from './form.ts';

/** New values of fields by their names; null takes a field away. */
export type FieldChanges = ReadonlyMap<string, string | null>;

/**
 * What a target changes in a form: the model without its `@slug/`, and the config's parameters. A form has no members within members: a path such as `a.b` is a field of that name.
 */
export function fieldChanges(form: Form, leaf: Leaf, model: string | null): FieldChanges {
  const changes = new Map<string, string | null>();
  const present = new Set(form.parts.map(({ name }) => name));
  for (const [name, value] of Object.entries(leaf.defaultParams ?? {}))
    if (!present.has(name)) changes.set(name, fieldText(value));
  for (const [name, value] of Object.entries(leaf.overrideParams ?? {})) changes.set(name, fieldText(value));
  if (model !== null && model !== fieldOf(form, 'model')) changes.set('model', model);
  for (const name of leaf.dropParams) changes.set(name, null);
  for (const [name, value] of changes) requireWithin(form, name, value);
  return changes;
}

/** A value may not end its own part and begin another one. */
function requireWithin({ boundary }: Form, name: string, value: string | null): void {
  if (!value?.includes(`--${boundary}`)) return;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `The field ${name} cannot be set to what the config says: the form uses it as its boundary.`,
    param: name,
  });
}

const fieldText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The bytes from the form's beginning to `end`, with the changes. The parts that they name are held whole. */
export function changedBytes({ boundary, bytes, parts }: Form, changes: FieldChanges, end: number): Buffer {
  if (changes.size === 0) return bytes.subarray(0, end);
  const pieces: Buffer[] = [];
  let from = parts[0]?.start ?? 0;
  // Those that are new stand first, before any file.
  pieces.push(bytes.subarray(0, from), ...added(boundary, changes));
  for (const [index, part] of parts.entries()) {
    if (!changes.has(part.name)) continue;
    pieces.push(bytes.subarray(from, part.start));
    from = parts[index + 1]?.start ?? endOf(part);
  }
  pieces.push(bytes.subarray(from, end));
  return Buffer.concat(pieces);
}

/** Behind the line break that belongs to the delimiter after the last part. */
const endOf = ({ start, valueEnd }: FormPart): number => (valueEnd === null ? start : valueEnd + 2);

function added(boundary: string, changes: FieldChanges): Buffer[] {
  return [...changes].flatMap(([name, value]) =>
    value === null
      ? []
      : [
          Buffer.from(
            `--${boundary}\r\ncontent-disposition: form-data; name="${escaped(name)}"\r\n\r\n${value}\r\n`,
          ),
        ],
  );
}

/** As browsers write names (WHATWG HTML, "multipart/form-data encoding algorithm"). */
const escaped = (name: string): string =>
  name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
