import { allChecks, formsOf, type ParameterSchema, parameterSchemaOf } from '../../src/guardrails/index.ts';
import { code, page, type ReferencePage, tableOf } from './page.ts';

/** A parameter of every check, of which the page tells once. */
const COMMON = 'failOnError';

type Check = (typeof allChecks)[number];

/** All checks, by id. */
export const sorted = [...allChecks].sort((one, other) => (one.id < other.id ? -1 : 1));
export const isOwn = ({ id }: Check): boolean => /^(?:default|gateway)\./.test(id);

/** The checks that the gateway makes itself, with what each takes. */
export function guardrailChecksPage(): ReferencePage {
  return page(
    'guardrail-checks',
    'Checks of guardrails',
    'src/guardrails/checks',
    [
      'What guardrails can check; [guardrails.md](../guardrails.md) tells how they are made and enforced. Checks that ask a service of',
      'another vendor are listed from [A to L](guardrail-services-a-l.md) and from [M to Z](guardrail-services-m-z.md). Every check takes',
      '`failOnError` as well: true makes an error of the check count as a failure. Secret parameters are kept sealed, and shown masked.',
      '`guardrailChecks` of the graph answers the same with JSON Schema.',
      ...sorted.filter(isOwn).map((check) => sectionOf([check])),
    ].join('\n'),
  );
}

/** What checks are that take the same. */
export function sectionOf(checks: readonly Check[]): string {
  const [first] = checks;
  if (!first) return '';
  const parameters = parametersOf(first);
  const told =
    checks.length === 1 ? [tellOf(first)] : checks.map((check) => `- ${code(check.id)}: ${tellOf(check)}`);
  const heading = checks.length === 1 ? first.id : `${first.id.split('.')[0]}`;
  return ['', `## ${heading}`, '', ...told, ...(parameters === '' ? [] : ['', parameters])].join('\n');
}

function tellOf(check: Check): string {
  const facts = [check.phases.join(' and '), ...(check.isRemote ? ['asks over the network'] : [])];
  return `${check.description} For ${facts.join('; ')}.`;
}

/** The table of what a check takes; empty where it takes nothing. */
export function parametersOf(check: Check): string {
  const { properties = {}, required = [] } = parameterSchemaOf(check);
  const own = Object.entries(properties).filter(([name]) => name !== COMMON);
  const rows = own.map(([name, schema]) => [
    code(name) + (required.includes(name) ? ' (required)' : ''),
    typeOf(schema),
    schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
    [schema.description ?? '', ...(isSecret(schema) ? ['Secret.'] : [])].join(' ').trim(),
  ]);
  return rows.length === 0 ? '' : tableOf(['parameter', 'type', 'default', 'meaning'], rows);
}

const isSecret = (schema: ParameterSchema): boolean => formsOf(schema).some(({ secret }) => secret === true);

function typeOf(schema: ParameterSchema): string {
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms) return [...new Set(forms.map(typeOf))].join(' or ');
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(', ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.type === 'array') return schema.items ? `list of ${typeOf(schema.items)}` : 'list';
  return schema.type ?? 'any JSON';
}
