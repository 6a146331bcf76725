import { extname, posix } from 'node:path';
import type { CellEnd } from '../../../boxes/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { Citation, ContentPart } from '../../items.ts';
import type { ToolContext } from '../tool.ts';
import type { Container } from './containers.ts';
import type { CodeFile, CodeFiles } from './deps.ts';

/** What became of the files of a cell. */
export type CellFiles = {
  images: { type: 'image'; image: { file_id: string } }[];
  parts: ContentPart[];
  citations: Citation[];
  /** A line for each, for the model. */
  lines: string[];
};

export const noFiles = (): CellFiles => ({ images: [], parts: [], citations: [], lines: [] });

const MOST_FILES = 20;
const MOST_BYTES = 50 * 1024 * 1024;
const imageEndings = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);

/** Stores the files that a cell made or changed. */
export async function keepFiles(
  made: CellEnd['files'],
  { files, container }: { files: CodeFiles; container: Container },
  { run, signal }: Pick<ToolContext, 'run' | 'signal'>,
): Promise<CellFiles> {
  const kept = noFiles();
  for (const [place, { name, bytes }] of made.entries()) {
    const path = `sandbox:/mnt/data/${name}`;
    if (place >= MOST_FILES || bytes > MOST_BYTES) {
      kept.lines.push(`${path} was not kept: ${MOST_FILES} files of ${MOST_BYTES} bytes are.`);
      continue;
    }
    const content = Buffer.from(await container.interpreter.take(name, signal));
    const stored = await store(content, posix.basename(name), { files, run, signal });
    if (typeof stored === 'string') {
      kept.lines.push(`${path} was not kept: ${stored}`);
      continue;
    }
    const { _id } = stored;
    kept.lines.push(path);
    kept.citations.push({ marker: path, annotation: { type: 'file_path', file_path: { file_id: _id } } });
    if (!imageEndings.has(extname(name).toLowerCase())) continue;
    kept.images.push({ type: 'image', image: { file_id: _id } });
    kept.parts.push({ type: 'image_file', image_file: { file_id: _id, detail: 'auto' } });
  }
  return kept;
}

/** The file, or the sentence that says why it cannot be stored. */
async function store(
  content: Buffer,
  filename: string,
  { files, run, signal }: Pick<ToolContext, 'run' | 'signal'> & { files: CodeFiles },
): Promise<CodeFile | string> {
  const { organisationId, workspaceId } = run;
  const owner = { organisationId, workspaceId };
  const given = {
    owner,
    filename,
    purpose: 'assistants_output',
    expiresAt: null,
    createdBy: run._id,
  } as const;
  try {
    return await files.store(given, once(content), signal);
  } catch (error) {
    // Such as that the workspace has no more room.
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}

async function* once(content: Buffer): AsyncIterable<Buffer> {
  yield content;
}
