import { z } from 'zod';
import type { RunTool } from '../../../runs/settings.ts';
import { parsed } from './parsed.ts';

const functionTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().max(100_000).nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  }),
});

const fileSearch = z.strictObject({
  type: z.literal('file_search'),
  file_search: z
    .strictObject({
      max_num_results: z.int().min(1).max(50).optional(),
      ranking_options: z
        .strictObject({
          ranker: z.enum(['auto', 'default_2024_08_21']).optional(),
          score_threshold: z.number().min(0).max(1),
        })
        .optional(),
    })
    .optional(),
});

const codeInterpreter = z.strictObject({ type: z.literal('code_interpreter') });

const tool = z.discriminatedUnion('type', [functionTool, fileSearch, codeInterpreter]);

/** The most tools of an assistant, and of a run that names its own. */
export const MOST_TOOLS = { assistant: 128, run: 20 } as const;

/** Tools as an assistant or a run lists them. */
export const toolsOf = (value: unknown, param: string, most: number): RunTool[] =>
  parsed(z.array(tool).max(most), value ?? [], param) as RunTool[];
