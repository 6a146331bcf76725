import { type GraphQLInputType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { type Convert, converterOf, invalid } from './value.ts';

/** Turns the texts of a path or query parameter into the value of a variable. */
export type ReadParameter = (texts: string[], path: string) => unknown;

/** Compiles a variable's type to the reader of its parameter; null when no text can express the type. */
export function parameterReader(declared: GraphQLInputType): ReadParameter | null {
  const type = getNullableType(declared);
  if (isListType(type)) {
    const item = textReader(type.ofType);
    // `ids=a,b`, `ids=a&ids=b` and `ids[]=a` style lists are all in use; an empty text is an empty list.
    return (
      item &&
      ((texts, path) =>
        texts.flatMap((text) => (text === '' ? [] : text.split(',').map((part) => item(part.trim(), path)))))
    );
  }
  const one = textReader(type);
  return (
    one &&
    ((texts, path) => {
      const [text = ''] = texts;
      if (texts.length > 1) throw invalid(path, 'is given more than once.');
      return one(text, path);
    })
  );
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
