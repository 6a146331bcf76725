import { readFile } from 'node:fs/promises';
import { loadPyodide, type PyodideAPI } from 'pyodide';
import type { BoxFrame } from '../frames.ts';
import { send, serve } from '../serve.ts';
import { createDataFolder, type DataFolder } from './data-folder.ts';
import { createOutput } from './output.ts';
import { preparation, runCell, warmUp } from './run-cell.ts';

type Session = { pyodide: PyodideAPI; data: DataFolder };

let session: Session | null = null;

const answers: Record<string, (question: BoxFrame) => Promise<void>> = {
  /** A memory to start from, of an interpreter that has run nothing. */
  async snapshot({ head }) {
    const pyodide = await loadPyodide({ indexURL: String(head.interpreter), _makeSnapshot: true });
    pyodide.runPython(preparation);
    send({ type: 'answer' }, pyodide.makeMemorySnapshot());
  },
  async start({ head }) {
    const snapshot = head.snapshot === null ? undefined : await readFile(String(head.snapshot));
    const pyodide = await loadPyodide({ indexURL: String(head.interpreter), _loadSnapshot: snapshot });
    session = { pyodide, data: createDataFolder(pyodide.FS) };
    // The snapshot would draw the same numbers for everybody.
    pyodide.runPython('__import__("random").seed()');
    await warmUp(pyodide);
    send({ type: 'answer' });
  },
  async put({ head, body }) {
    started().data.put(String(head.name), body);
    send({ type: 'answer' });
  },
  async run({ head }) {
    const { pyodide, data } = started();
    const output = createOutput(Number(head.logBytes));
    pyodide.setStdout(output);
    pyodide.setStderr(output);
    const isFine = await runCell(pyodide, String(head.code));
    send({ type: 'answer', isFine, files: data.changed() });
  },
  async take({ head }) {
    send({ type: 'answer' }, started().data.take(String(head.name)));
  },
};

serve(async (question) => {
  const answer = answers[question.head.type];
  if (!answer) throw new Error(`No answer to ${question.head.type}.`);
  await answer(question);
});

function started(): Session {
  if (!session) throw new Error('The interpreter is not started.');
  return session;
}
