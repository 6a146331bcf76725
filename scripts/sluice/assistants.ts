import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Environment, serviceOf } from './client.ts';

const PATH = '/v1/assistants';

/** Writes the assistants of a workspace, with all that was said, to a file. Answers the exit code. */
export async function exportAssistants(env: Environment, file: string): Promise<number> {
  const { url, headers } = await serviceOf(env);
  const answer = await fetch(`${url}${PATH}/export`, { headers });
  if (!answer.ok || !answer.body) throw new Error(await problemOf(answer));
  await pipeline(Readable.fromWeb(answer.body), createWriteStream(file, { mode: 0o600 }));
  return 0;
}

type Outcome = {
  created: Record<string, number>;
  existing: Record<string, number>;
  skipped: number;
  refused: number;
  problems: { line: number; message: string }[];
};

const listed = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');

/** Stores the lines of a file. Answers the exit code: 1 where a line was refused. */
export async function importAssistants(env: Environment, file: string): Promise<number> {
  const { url, headers } = await serviceOf(env);
  const answer = await fetch(`${url}${PATH}/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/jsonl' },
    body: Readable.toWeb(createReadStream(file)),
    duplex: 'half',
  } as RequestInit);
  if (!answer.ok) throw new Error(await problemOf(answer));
  const { created, existing, skipped, refused, problems } = (await answer.json()) as Outcome;
  console.error(`new: ${listed(created)}\nthere before: ${listed(existing)}\nfiles left out: ${skipped}`);
  for (const { line, message } of problems) console.error(`${file}:${line}: ${message}`);
  if (refused > problems.length) console.error(`${refused - problems.length} more lines were refused.`);
  return refused === 0 ? 0 : 1;
}

async function problemOf(answer: Response): Promise<string> {
  const text = await answer.text();
  return `The service answered ${answer.status}: ${text.slice(0, 1000)}`;
}
