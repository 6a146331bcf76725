import {
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type NameNode,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { snakeCase } from '../compile/names.ts';
import type { RestOperation } from '../compile/operation.ts';
import { inputMembers } from '../compile/variables.ts';
import { annotated, type Components } from './components.ts';
import type { OpenApiParameter, Schema } from './document.ts';
import { defaultOf, described, type InputElement, inputSchema } from './input.ts';

/** A variable of an operation and where the schema receives it. */
export type Variable = {
  name: string;
  type: GraphQLInputType;
  required: boolean;
  defaultValue: unknown;
  description: string | undefined;
  element: InputElement | undefined;
};

/** The operation's variables with what the SDL says of the argument or input field that each one fills. */
export function variablesOf(schema: GraphQLSchema, operation: RestOperation): Variable[] {
  const elements = elementsByVariable(schema, operation);
  return (operation.definition.variableDefinitions ?? []).flatMap((node) => {
    const name = node.variable.name.value;
    const type = inputTypeOf(schema, node);
    const members = name === 'input' ? null : inputMembers(type);
    if (members) return members.map(memberVariable);
    const element = elements.get(name);
    const defaultValue = node.defaultValue ? valueFromAST(node.defaultValue, type) : element?.defaultValue;
    return {
      name,
      type,
      required: isNonNullType(type) && !node.defaultValue,
      defaultValue,
      description: node.description?.value ?? element?.astNode?.description?.value,
      element,
    };
  });
}

/** A member of a variable whose members are parameters of their own. */
const memberVariable = (field: GraphQLInputField): Variable => ({
  name: field.name,
  type: field.type,
  required: isRequiredInputField(field),
  defaultValue: field.defaultValue,
  description: field.astNode?.description?.value,
  element: field,
});

function inputTypeOf(schema: GraphQLSchema, node: VariableDefinitionNode): GraphQLInputType {
  const type: unknown = typeFromAST(schema, node.type as never);
  if (!isInputType(type)) throw new Error(`$${node.variable.name.value} has no input type.`);
  return type;
}

function elementsByVariable(schema: GraphQLSchema, { document }: RestOperation): Map<string, InputElement> {
  const found = new Map<string, InputElement>();
  const info = new TypeInfo(schema);
  const note = (value: ValueNode, element: InputElement | null | undefined) => {
    if (value.kind === Kind.VARIABLE && element) found.set(value.name.value, element);
  };
  const fieldOf = (name: NameNode) => {
    const parent = info.getParentInputType();
    return isInputObjectType(parent) ? parent.getFields()[name.value] : undefined;
  };
  visit(
    document,
    visitWithTypeInfo(info, {
      Argument: ({ value }) => note(value, info.getArgument()),
      ObjectField: ({ name, value }) => note(value, fieldOf(name)),
    }),
  );
  return found;
}

/** A variable as a parameter of the path, spelled as the path spells it, or of the query, in snake_case. */
export function parameterOf(
  schema: GraphQLSchema,
  components: Components,
  variable: Variable,
  inPath: string | undefined,
): OpenApiParameter {
  const { name, type, required, description, element } = variable;
  const { nullable: _nullable, ...value } = inputSchema(schema, components, type, element);
  const shown = annotated(withoutNull(value), defaultOf(variable));
  // A value of a type that query strings cannot express travels as JSON text.
  const isJson = shown.type === undefined;
  return {
    name: inPath ?? snakeCase(name),
    in: inPath === undefined ? 'query' : 'path',
    ...((required || inPath !== undefined) && { required: true }),
    ...described(description),
    ...(shown.type === 'array' && { style: 'form', explode: false }),
    ...(isJson ? { content: { 'application/json': { schema: shown } } } : { schema: shown }),
  };
}

const withoutNull = (schema: Schema): Schema =>
  schema.enum ? { ...schema, enum: schema.enum.filter((value) => value !== null) } : schema;
