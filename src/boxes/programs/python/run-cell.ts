import type { PyodideAPI } from 'pyodide';

/**
 * Loads what every cell needs, and the modules that most cells import: in a snapshot they cost nothing, and a tenth of a second in
 * the cell that has them first. It leaves no name behind that a cell could see.
 */
export const preparation = `
for name in ('ast', 'asyncio', 'linecache', 'os', 'traceback', 'pyodide.code', 'base64', 'collections', 'csv', 'datetime', 'decimal',
             'io', 'itertools', 'json', 'math', 'pathlib', 'random', 're', 'statistics', 'struct', 'zlib'):
    __import__(name)
del name`;

/** Cells that go before the first one: what is compiled at its first use, of an output, a value and an error, is compiled then. */
export const trials = ['print(1, end="")\n[str(each) for each in range(3)]', '1 / 0'];

/** Runs cells of which nobody sees anything, so that the first one of somebody is as quick as the others. */
export async function warmUp(pyodide: PyodideAPI): Promise<void> {
  const dropped = { write: (buffer: Uint8Array) => buffer.length };
  pyodide.setStdout(dropped);
  pyodide.setStderr(dropped);
  for (const trial of trials) await runCell(pyodide, trial);
  // An empty one takes the text of the others out of the lines that errors show.
  await runCell(pyodide, '');
}

/** Shows the value of the last expression as an interactive Python does, and of an error only the frames of the cell. */
const runner = `
async def _run_cell(source):
    import linecache, os, sys, traceback
    from pyodide.code import eval_code_async
    import __main__
    os.makedirs('/mnt/data', exist_ok=True)
    linecache.cache['<cell>'] = (len(source), None, source.splitlines(keepends=True), '<cell>')
    try:
        value = await eval_code_async(source, __main__.__dict__, filename='<cell>')
        if value is not None:
            print(repr(value))
        return True
    except SystemExit:
        return True
    except BaseException as error:
        frames = error.__traceback__
        while frames and frames.tb_frame.f_code.co_filename != '<cell>':
            frames = frames.tb_next
        traceback.print_exception(type(error), error, frames, file=sys.stderr)
        return False
    finally:
        sys.stdout.flush()
        sys.stderr.flush()

_run_cell
`;

const runners = new WeakMap<PyodideAPI, (code: string) => Promise<boolean>>();

/** Runs a cell in the one scope of an interpreter; false where it raised an error. */
export function runCell(pyodide: PyodideAPI, code: string): Promise<boolean> {
  const known = runners.get(pyodide);
  if (known) return known(code);
  pyodide.runPython('__import__("os").chdir("/mnt/data")');
  const scope = pyodide.toPy({});
  const run = pyodide.runPython(runner, { globals: scope }) as (code: string) => Promise<boolean>;
  runners.set(pyodide, run);
  return run(code);
}
