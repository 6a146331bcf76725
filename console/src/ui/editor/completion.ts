import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { knownAt } from './known.ts';
import { placeIn } from './place.ts';

/** Names or values in sight; the others follow where one goes on. */
const MOST_IN_SIGHT = 10;

/** Offers what a JSON Schema knows for where something is being written, as soon as the schema has come. */
export const completion = (schema: Promise<unknown>): Extension =>
  autocompletion({
    override: [async (context) => offer(context, await schema)],
    icons: false,
    maxRenderedOptions: MOST_IN_SIGHT,
  });

function offer(context: CompletionContext, schema: unknown): CompletionResult | null {
  const place = placeIn(context.state.sliceDoc(0, context.pos));
  const isBegun = place.from < context.pos;
  if (context.aborted || !(isBegun || context.explicit)) return null;
  const isName = place.expects !== null && 'name' in place.expects;
  // A quotation mark that stands behind the place is the end of what is written there.
  const behind = context.state.sliceDoc(context.pos, context.pos + 100);
  const end = context.pos + (/^[\w$@.-]*"/.exec(behind)?.[0].length ?? 0);
  const hasColon = /^\s*:/.test(context.state.sliceDoc(end, end + 20));
  const options = knownAt(schema, place).map(({ text, detail }) => ({
    label: text,
    info: detail || undefined,
    apply: isName && !hasColon ? `${text}: ` : text,
  }));
  if (options.length === 0) return null;
  return { from: place.from, to: isBegun ? end : context.pos, options, filter: true };
}
