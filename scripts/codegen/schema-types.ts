import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import type { DocumentNode } from 'graphql';
import { prepended, typeConfig, withoutConstants } from './type-config.ts';

/** The types of the SDL: enums, inputs, arguments and objects. */
export const schemaTypes = (schema: DocumentNode, filename: string): Promise<string> =>
  codegen({
    filename,
    schema: withoutConstants(schema),
    documents: [],
    plugins: [{ add: {} }, { typescript: {} }],
    pluginMap: { add: prepended(), typescript },
    config: typeConfig,
  });
