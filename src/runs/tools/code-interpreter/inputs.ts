import { posix } from 'node:path';
import type { RunDocument } from '../../run.ts';
import type { Container } from './containers.ts';
import type { CodeFile, CodeInterpreterDeps } from './deps.ts';

/** Bytes of all files that are put into one container. */
const MOST_INPUT_BYTES = 200 * 1024 * 1024;
const MOST_NAME_CHARACTERS = 200;

type Inputs = Pick<CodeInterpreterDeps, 'files' | 'threadFiles'>;

/** The files that a run gives to its code, by their names in the data folder: those of its assistant, then those of its thread. */
export async function inputsOf(
  { files, threadFiles }: Inputs,
  run: RunDocument,
): Promise<Map<string, CodeFile>> {
  const ids = new Set([...(run.toolResources.code_interpreter?.file_ids ?? []), ...(await threadFiles(run))]);
  const found = await Promise.all([...ids].map((id) => files.find(run, id)));
  const inputs = new Map<string, CodeFile>();
  // A file that was deleted meanwhile is missing.
  for (const file of found.filter((one) => one !== null)) {
    const name = safeName(file.filename);
    inputs.set(name === '' || inputs.has(name) ? `${file._id}-${name}` : name, file);
  }
  return inputs;
}

/** Puts the files that are not there yet into the container; gives a sentence for each that cannot be. */
export async function putInputs(
  { files }: Inputs,
  inputs: ReadonlyMap<string, CodeFile>,
  { container, signal }: { container: Container; signal: AbortSignal },
): Promise<string[]> {
  const missing: string[] = [];
  let bytes = 0;
  for (const [name, file] of inputs) {
    bytes += file.bytes;
    if (container.inputs.get(file._id) === name) continue;
    const content = bytes > MOST_INPUT_BYTES ? null : await files.open(file);
    if (content) {
      await container.interpreter.put(name, content, signal);
      container.inputs.set(file._id, name);
    } else {
      missing.push(
        bytes > MOST_INPUT_BYTES
          ? `${name} is not in /mnt/data: files of more than ${MOST_INPUT_BYTES} bytes together do not fit.`
          : `${name} is not in /mnt/data: its content is lost.`,
      );
    }
  }
  return missing;
}

/** A name without folders and control characters. */
const safeName = (filename: string): string =>
  posix
    .basename(filename.replaceAll('\\', '/'))
    .replace(/\p{Cc}/gu, '')
    .replace(/^\.+/, '')
    .slice(-MOST_NAME_CHARACTERS);
