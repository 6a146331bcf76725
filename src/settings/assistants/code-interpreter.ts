import { z } from 'zod';
import { flag, headerSecret, integer } from '../values.ts';

/** Where models run code, and how much of this machine they get for it. */
export const codeInterpreterSettings = {
  CODE_INTERPRETER: z
    .enum(['deno', 'native', 'remote', 'off'])
    .default('deno')
    .describe(
      '`deno` runs the code of `code_interpreter` in Python (Pyodide) inside child processes of Deno without ' +
        'permissions; `native` runs it in the Python of this machine inside bubblewrap (`bwrap`), with its packages; `remote` runs it ' +
        'on box servers (`npm run boxes`), away from this machine; `off` refuses ' +
        'runs with that tool',
    ),
  CODE_INTERPRETER_PYTHON: z
    .string()
    .regex(/^\/usr\/[\w./-]{1,200}$/, 'must be a path below /usr')
    .default('/usr/bin/python3')
    .describe(
      'the Python of `native`: its path below `/usr`, which is all that its code can read of this machine',
    ),
  CODE_INTERPRETER_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
    .optional()
    .describe('of `remote`: where a box server is reached, or what divides connections among several'),
  CODE_INTERPRETER_TOKEN: headerSecret
    .optional()
    .describe('what a gateway with `remote` and its box servers have in common; 32 characters at least'),
  CODE_INTERPRETER_BOXES: integer(4, 1, 64).describe(
    'containers of threads that one process keeps at a time; each may take 512 MB of memory',
  ),
  CODE_INTERPRETER_WARM: flag(true).describe(
    'whether one more is kept ready, for twenty minutes after the last one was taken: it holds some 200 MB, ' +
      'and spares a second',
  ),
};

type Values = {
  CODE_INTERPRETER?: unknown;
  CODE_INTERPRETER_URL?: string | undefined;
  CODE_INTERPRETER_TOKEN?: string | undefined;
};

/** The box server of `remote`; null for another way to run code. */
export const boxServerOf = ({
  CODE_INTERPRETER: runs,
  CODE_INTERPRETER_URL: url,
  CODE_INTERPRETER_TOKEN: token,
}: Values): { url: URL; token: string } | null =>
  runs === 'remote' && url !== undefined && token !== undefined ? { url: new URL(url), token } : null;

/** What `remote` lacks. */
export const missingOfBoxServer = (values: Record<string, unknown>): { path: string[]; message: string }[] =>
  values.CODE_INTERPRETER !== 'remote'
    ? []
    : ['CODE_INTERPRETER_URL', 'CODE_INTERPRETER_TOKEN']
        .filter((name) => values[name] === undefined)
        .map((name) => ({ path: [name], message: 'is needed with CODE_INTERPRETER=remote' }));
