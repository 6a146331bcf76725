import { z } from 'zod';
import {
  type CheckFinding,
  type CheckInput,
  type CheckServices,
  defineCheck,
  type Segment,
} from '../../check.ts';
import { failable } from '../common.ts';
import { cutFinder } from '../pattern/cuts.ts';
import { timeoutParameter } from '../remote/common.ts';
import { apart, type FoundData, findAll } from './find.ts';
import { type Analyzer, analyze, analyzerParameters } from './presidio.ts';
import { recognisers } from './recognisers/index.ts';

/** Kinds that have no form of their own, and what the service calls them. */
const ofService: Readonly<Record<string, string>> = { NAME: 'PERSON', LOCATION_ADDRESS: 'LOCATION' };

const categories = [
  ...['EMAIL_ADDRESS', 'PHONE_NUMBER', 'LOCATION_ADDRESS', 'NAME', 'IP_ADDRESS', 'CREDIT_CARD', 'SSN'],
  ...['IBAN', 'MAC_ADDRESS', 'DATE_OF_BIRTH'],
] as const;

const parameters = z
  .strictObject({
    categories: z
      .array(z.enum(categories))
      .min(1)
      .max(categories.length)
      .describe('The kinds of personal data to look for; NAME and LOCATION_ADDRESS need a `service`.'),
    redact: z
      .boolean()
      .default(false)
      .describe(
        'Whether finds are replaced by placeholders such as `{{EMAIL_ADDRESS_1}}` and the check passes.',
      ),
    allowList: z
      .array(z.string().min(1).max(320))
      .max(1_000)
      .default([])
      .describe('Texts that are no finds, such as the address of your support.'),
    service: z
      .strictObject(analyzerParameters)
      .optional()
      .describe('A Presidio analyzer, which knows names and places.'),
    timeout: timeoutParameter(5_000),
    ...failable,
  })
  .superRefine(({ categories: wanted, service }, context) => {
    for (const [index, category] of wanted.entries()) {
      if (service !== undefined || ofService[category] === undefined) continue;
      const message = `${category} cannot be told by its form: set \`service\` to a Presidio analyzer`;
      context.addIssue({ code: 'custom', path: ['categories', index], message });
    }
  });

type Parameters = z.infer<typeof parameters>;

const ownOf = (wanted: readonly string[]) => recognisers.filter(({ category }) => wanted.includes(category));
const reachOf = (wanted: readonly string[]) => Math.max(...ownOf(wanted).map(({ reach }) => reach));
const asked = (wanted: readonly string[]) => wanted.flatMap((category) => ofService[category] ?? []);

export const pii = defineCheck({
  id: 'gateway.pii',
  description: 'Passes when the text has no personal data of the categories, or all of it is redacted.',
  phases: ['input', 'output'],
  parameters,
  edits: ({ redact }) => redact,
  detects: () => true,
  timeoutMs: ({ timeout }) => timeout,
  reach: ({ categories: wanted }) => (asked(wanted).length > 0 ? null : reachOf(wanted)),
  cut: ({ categories: wanted }) =>
    cutFinder(
      ownOf(wanted).flatMap(({ spaced }) => spaced),
      reachOf(wanted),
    ),
  prepare(wanted) {
    const own = ownOf(wanted.categories);
    const entities = asked(wanted.categories);
    const { service } = wanted;
    const allowed = new Set(wanted.allowList.map((text) => text.toLowerCase()));
    const settled = (found: readonly FoundIn[]) => findingOf(found, wanted, allowed);
    return (input, services) => {
      const found = input.segments.map((segment) => ({ segment, found: findAll(segment.text, own) }));
      if (service === undefined || entities.length === 0) return settled(found);
      return withAnalyzer(found, { service, entities, timeoutMs: wanted.timeout }, input, services).then(
        settled,
      );
    };
  },
});

type FoundIn = { readonly segment: Segment; readonly found: readonly FoundData[] };
type Asking = { service: Analyzer; entities: readonly string[]; timeoutMs: number };

const categoryOf = new Map(Object.entries(ofService).map(([category, entity]) => [entity, category]));

async function withAnalyzer(
  own: readonly FoundIn[],
  { service, entities, timeoutMs }: Asking,
  { signal }: CheckInput,
  services: CheckServices,
): Promise<FoundIn[]> {
  const all: FoundIn[] = [];
  for (const { segment, found } of own) {
    const told = await analyze(service, segment.text, { entities, timeoutMs, signal }, services);
    const named = told.map((find) => ({ ...find, category: categoryOf.get(find.category) ?? find.category }));
    all.push({ segment, found: apart([...found, ...named]) });
  }
  return all;
}

function findingOf(
  all: readonly FoundIn[],
  { redact }: Parameters,
  allowed: ReadonlySet<string>,
): CheckFinding {
  const counts: Record<string, number> = {};
  const edits = all.flatMap(({ segment, found }) =>
    found.flatMap(({ category, start, end }) => {
      if (allowed.has(segment.text.slice(start, end).toLowerCase())) return [];
      counts[category] = (counts[category] ?? 0) + 1;
      return redact ? [{ segment, start, end, replacement: { placeholder: category } }] : [];
    }),
  );
  // What was found is told by kind and number alone: results are logged.
  return { verdict: redact || Object.keys(counts).length === 0, data: { detected: counts, redact }, edits };
}
