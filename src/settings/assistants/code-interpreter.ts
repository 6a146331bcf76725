import { z } from 'zod';
import { flag, integer } from '../values.ts';

/** Where models run code, and how much of this machine they get for it. */
export const codeInterpreterSettings = {
  CODE_INTERPRETER: z
    .enum(['deno', 'native', 'off'])
    .default('deno')
    .describe(
      '`deno` runs the code of `code_interpreter` in Python (Pyodide) inside child processes of Deno without ' +
        'permissions; `native` runs it in the Python of this machine inside bubblewrap (`bwrap`), with its packages; `off` refuses ' +
        'runs with that tool',
    ),
  CODE_INTERPRETER_PYTHON: z
    .string()
    .regex(/^\/usr\/[\w./-]{1,200}$/, 'must be a path below /usr')
    .default('/usr/bin/python3')
    .describe(
      'the Python of `native`: its path below `/usr`, which is all that its code can read of this machine',
    ),
  CODE_INTERPRETER_BOXES: integer(4, 1, 64).describe(
    'containers of threads that one process keeps at a time; each may take 512 MB of memory',
  ),
  CODE_INTERPRETER_WARM: flag(true).describe(
    'whether one more is kept ready, for twenty minutes after the last one was taken: it holds some 200 MB, ' +
      'and spares a second',
  ),
};
