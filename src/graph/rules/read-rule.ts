import { type DirectiveNode, type GraphQLSchema, getDirectiveValues } from 'graphql';
import type { RuleDirective } from '../composition/subgraph-document.ts';

export type Constraint = {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: 'EMAIL' | 'URI' | 'UUID' | 'DATE_TIME';
  min?: number;
  max?: number;
  minItems?: number;
  maxItems?: number;
  notNull?: boolean;
};

type RuleArguments = {
  access: { anyOf: string[] };
  authenticated: Record<string, never>;
  public: { reason: string };
  constraint: Constraint;
  listSize: { assumedSize: number };
  audit: { action: string };
  secret: Record<string, never>;
  constant: { value: string };
};

type Annotated = { astNode?: { readonly directives?: readonly DirectiveNode[] } | null };

/** What the SDL says about a field, argument or input field with one of the project's directives; null without it. */
export function readRule<Name extends RuleDirective>(
  schema: GraphQLSchema,
  name: Name,
  { astNode }: Annotated,
): RuleArguments[Name] | null {
  const directive = schema.getDirective(name);
  if (!directive || !astNode) return null;
  return (getDirectiveValues(directive, astNode) as RuleArguments[Name] | undefined) ?? null;
}
