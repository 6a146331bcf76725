import { type GraphQLInputType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { type Convert, converterOf, invalid } from './value.ts';

/** How a path or query parameter becomes the value of a variable. */
export type ParameterReader = {
  isList: boolean;
  /** Takes the texts given for the parameter; `path` is its name as the caller spelled it. */
  read(texts: string[], path: string): unknown;
};

const maxItems = 1000;

/** Compiles a variable's type to the reader of its parameter; null when no text can express the type. */
export function parameterReader(declared: GraphQLInputType): ParameterReader | null {
  const type = getNullableType(declared);
  if (isListType(type)) {
    const item = textReader(type.ofType);
    if (!item) return null;
    return {
      isList: true,
      read(texts, path) {
        if (texts.length > maxItems) throw invalid(path, `has more than ${maxItems} values.`);
        return texts.map((text) => item(text, path));
      },
    };
  }
  const one = textReader(type);
  if (!one) return null;
  return {
    isList: false,
    read(texts, path) {
      const [text = ''] = texts;
      if (texts.length > 1) throw invalid(path, 'is given more than once.');
      return one(text, path);
    },
  };
}

/**
 * The values in one text of a list: `a,b` are two, an empty text is none. A bracketed text (`ids[]=a,b`) is one value, so
 * that values with commas can be written.
 */
export function listItems(text: string, bracketed: boolean): string[] {
  if (text === '') return [];
  return bracketed ? [text] : text.split(',', maxItems + 1).map((part) => part.trim());
}

function textReader(declared: GraphQLInputType): ((text: string, path: string) => unknown) | null {
  const type = getNullableType(declared);
  if (isListType(type) || isInputObjectType(type)) return null;
  const convert: Convert = converterOf(type);
  const parse = parsers[type.name];
  return parse ? (text, path) => convert(parse(text, path), path) : convert;
}

const parsers: Record<string, (text: string, path: string) => unknown> = {
  Int: number,
  Float: number,
  Boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
  JSON: (text, path) => {
    try {
      return JSON.parse(text);
    } catch (error) {
      if (error instanceof SyntaxError) throw invalid(path, 'must be JSON.');
      throw error;
    }
  },
};

/** Only plain decimal texts: `Number` alone would also take ``, ` 1 `, `0x10` and `Infinity`. */
function number(text: string): unknown {
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
}
