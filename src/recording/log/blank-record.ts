import { fieldRows } from './fields.ts';
import type { LogRecord, NeededFields } from './record.ts';

const members = fieldRows.map(([name, field]) => `${name}: ${JSON.stringify(field.default ?? null)}`);

/**
 * A record of which nothing is known yet; its maker sets the needed fields, which are null until then. The engine gives
 * objects of one literal one compact shape, and a loop over names would take ten times as long: so the table becomes a
 * literal once, as source text.
 */
export const blankRecord = new Function(`return { ${members.join(', ')} }`) as () => LogRecord;

/** A record of what is known, with the defaults for the rest. Slower than setting members of a blank one. */
export const recordOf = (known: NeededFields & Partial<LogRecord>): LogRecord =>
  Object.assign(blankRecord(), known);
