import { type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { readRule } from '../../src/graph/index.ts';
import type { RestOperation } from '../compile/operation.ts';

/** The scopes of which one lets a caller see the whole answer; null when the operation asks for none. */
export function scopesOfOperation(
  schema: GraphQLSchema,
  { label, document }: RestOperation,
): string[] | null {
  const info = new TypeInfo(schema);
  let scopes: string[] | null = null;
  const narrow = (anyOf: string[]) => {
    scopes = scopes?.filter((scope) => anyOf.includes(scope)) ?? anyOf;
    if (scopes.length === 0) throw new Error(`${label}: no single scope shows all of the answer.`);
  };
  visit(
    document,
    visitWithTypeInfo(info, {
      Field: () => {
        const field = info.getFieldDef();
        const access = field && readRule(schema, 'access', field);
        if (access) narrow(access.anyOf);
      },
    }),
  );
  return scopes;
}
