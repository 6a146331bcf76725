import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request } from 'undici';
import { type Environment, serviceOf } from './client.ts';

const PATH = '/v1/assistants';

/** Writes the assistants of a workspace, with all that was said, to a file. Answers the exit code. */
export async function exportAssistants(env: Environment, file: string): Promise<number> {
  const { url, headers } = await serviceOf(env);
  const answer = await fetch(`${url}${PATH}/export`, { headers });
  if (!answer.ok || !answer.body) throw new Error(problemOf(answer.status, await answer.text()));
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
  // `fetch` would keep all that it has sent until the answer comes.
  const { statusCode, body } = await request(`${url}${PATH}/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/jsonl' },
    body: createReadStream(file),
    headersTimeout: 0,
  });
  if (statusCode !== 200) throw new Error(problemOf(statusCode, await body.text()));
  const { created, existing, skipped, refused, problems } = (await body.json()) as Outcome;
  console.error(`new: ${listed(created)}\nthere before: ${listed(existing)}\nfiles left out: ${skipped}`);
  for (const { line, message } of problems) console.error(`${file}:${line}: ${message}`);
  if (refused > problems.length) console.error(`${refused - problems.length} more lines were refused.`);
  return refused === 0 ? 0 : 1;
}

const problemOf = (status: number, text: string): string =>
  `The service answered ${status}: ${text.slice(0, 1000)}`;
