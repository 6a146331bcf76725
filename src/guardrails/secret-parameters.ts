import { isSecretName } from '../lib/redaction.ts';
import { checkOf } from './checks/index.ts';
import { formsOf, type ParameterSchema, parameterSchemaOf } from './parameter-schema.ts';

/** Keys and indexes below the parameters of a check. */
export type ParameterPath = readonly (string | number)[];
/** What takes the place of a text of parameters. */
type Change = (text: string, path: ParameterPath) => string;

/** Headers that a check sends hold credentials, under whatever names. */
const HEADERS = 'headers';

/**
 * A copy of a check's parameters in which `change` has replaced every text that is a credential: one at or below a place that
 * the check's schema marks as `secret`, one of the parameter `headers`, or one under a name that says so.
 */
export const mapSecretParameters = (
  checkId: string,
  parameters: Readonly<Record<string, unknown>>,
  change: Change,
): Record<string, unknown> => mapTexts(checkId, parameters, { ofSecrets: change });

/** The texts of a check's parameters that are no credentials. */
function plainParameters(
  checkId: string,
  parameters: Readonly<Record<string, unknown>>,
): { text: string; path: ParameterPath }[] {
  const found: { text: string; path: ParameterPath }[] = [];
  const note: Change = (text, path) => {
    found.push({ text, path });
    return text;
  };
  mapTexts(checkId, parameters, { ofOthers: note });
  return found;
}

/** Whether a parameter says where a check sends what it is given. */
const isDestination = (text: string, name: string): boolean =>
  text.includes('://') || /url|uri|host|endpoint|domain|region|base/i.test(name);

/** The texts of a check's parameters that say where it sends what it is given, credentials included. */
export const destinationsOf = (checkId: string, parameters: Readonly<Record<string, unknown>>): string[] =>
  plainParameters(checkId, parameters)
    .filter(({ text, path }) =>
      isDestination(text, String(path.findLast((part) => typeof part === 'string'))),
    )
    .map(({ text }) => text);

type Changes = { ofSecrets?: Change; ofOthers?: Change };

function mapTexts(
  checkId: string,
  parameters: Readonly<Record<string, unknown>>,
  changes: Changes,
): Record<string, unknown> {
  const check = checkOf(checkId) ?? checkOf(`default.${checkId}`);
  const place = { forms: check ? formsOf(parameterSchemaOf(check)) : [], isSecret: false, path: [] };
  return mapped(parameters, place, changes) as Record<string, unknown>;
}

type ParameterPlace = { forms: readonly ParameterSchema[]; isSecret: boolean; path: ParameterPath };

function mapped(value: unknown, place: ParameterPlace, changes: Changes): unknown {
  const isSecret = place.isSecret || place.forms.some(({ secret }) => secret === true);
  if (typeof value === 'string') {
    const change = isSecret ? changes.ofSecrets : changes.ofOthers;
    return change ? change(value, place.path) : value;
  }
  if (Array.isArray(value)) {
    const forms = place.forms.flatMap(({ items }) => (items ? formsOf(items) : []));
    return value.map((item, index) =>
      mapped(item, { forms, isSecret, path: [...place.path, index] }, changes),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isNamedSo = typeof member === 'string' && isSecretName(name);
      const isHeaders = place.path.length === 0 && name === HEADERS;
      const below = {
        forms: membersNamed(place.forms, name),
        isSecret: isSecret || isNamedSo || isHeaders,
        path: [...place.path, name],
      };
      return [name, mapped(member, below, changes)];
    }),
  );
}

const membersNamed = (forms: readonly ParameterSchema[], name: string): ParameterSchema[] =>
  forms.flatMap(({ properties, additionalProperties }) => {
    const own = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return typeof own === 'object' ? formsOf(own) : [];
  });
