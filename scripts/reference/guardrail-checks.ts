import { allChecks, formsOf, type ParameterSchema, parameterSchemaOf } from '../../src/guardrails/index.ts';
import { code, page, type ReferencePage, tableOf } from './page.ts';

/** A parameter of every check, of which the page tells once. */
const COMMON = 'failOnError';

type Check = (typeof allChecks)[number];

/** The kinds of checks of guardrails, with what each takes. */
export function guardrailChecksPage(): ReferencePage {
  const byId = [...allChecks].sort((one, other) => (one.id < other.id ? -1 : 1));
  return page(
    'guardrail-checks',
    'Checks of guardrails',
    'src/guardrails/checks',
    [
      'What guardrails can check; [guardrails.md](../guardrails.md) tells how they are made and enforced. Every check takes',
      '`failOnError` as well: true makes an error of the check count as a failure. Secret parameters are kept sealed, and shown masked.',
      '`guardrailChecks` of the graph answers the same with JSON Schema.',
      ...byId.flatMap(sectionOf),
    ].join('\n'),
  );
}

function sectionOf(check: Check): string[] {
  const facts = [check.phases.join(' and '), ...(check.isRemote ? ['asks over the network'] : [])];
  const { properties = {}, required = [] } = parameterSchemaOf(check);
  const own = Object.entries(properties).filter(([name]) => name !== COMMON);
  const rows = own.map(([name, schema]) => [
    code(name) + (required.includes(name) ? ' (required)' : ''),
    typeOf(schema),
    schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
    [schema.description ?? '', ...(isSecret(schema) ? ['Secret.'] : [])].join(' ').trim(),
  ]);
  return [
    '',
    `## ${check.id}`,
    '',
    `${check.description} For ${facts.join('; ')}.`,
    ...(rows.length === 0 ? [] : ['', tableOf(['parameter', 'type', 'default', 'meaning'], rows)]),
  ];
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
