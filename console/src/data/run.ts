import type { Document } from './document.ts';
import { type AnswerError, fatalError, GraphError } from './graph-error.ts';

export type RunOptions = {
  /** Id or slug of the workspace that is asked about; null or absent for all that the viewer reaches. */
  workspace?: string | null;
  signal?: AbortSignal;
};

/** What travels of an operation: its name, and never its text. */
export const requestBody = <Variables>(
  { name, hash }: Pick<Document<never, never>, 'name' | 'hash'>,
  variables: Variables,
) => ({
  operationName: name,
  variables,
  extensions: { persistedQuery: { version: 1, sha256Hash: hash } },
});

export const workspaceHeader = (workspace: string | null | undefined): Record<string, string> =>
  workspace ? { 'x-gateway-workspace-id': workspace } : {};

/** Runs an operation of the manifest. Rejects with a GraphError, or an AbortError once the signal is aborted. */
export async function run<Answer, Variables>(
  document: Document<Answer, Variables>,
  variables: Variables,
  { workspace, signal }: RunOptions = {},
): Promise<Answer> {
  return answerIn(await post(JSON.stringify(requestBody(document, variables)), workspace, signal));
}

/** What a response of the graph holds, or the GraphError that it tells of. */
export async function answerIn<Answer>(response: Response): Promise<Answer> {
  const requestId = response.headers.get('x-request-id');
  const answer = await readAnswer<Answer>(response, requestId);
  const fatal = fatalError(answer.errors, requestId);
  if (fatal) throw fatal;
  if (!answer.data) throw new GraphError(`The service answered ${response.status}.`, {}, requestId);
  return answer.data;
}

async function post(
  body: string,
  workspace: RunOptions['workspace'],
  signal?: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(new URL('graphql', document.baseURI), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...workspaceHeader(workspace) },
      body,
      signal: signal ?? null,
    });
  } catch {
    signal?.throwIfAborted();
    throw new GraphError('The service cannot be reached.', { code: 'OFFLINE' });
  }
}

async function readAnswer<Answer>(
  response: Response,
  requestId: string | null,
): Promise<{ data?: Answer | null; errors?: AnswerError[] }> {
  try {
    const answer = await response.json();
    // Doors before the graph refuse in the shape of the REST API.
    return answer.error
      ? { errors: [{ message: answer.error.message, extensions: codeOf(response) }] }
      : answer;
  } catch {
    // A proxy between the page and the service answers with a page of its own.
    throw new GraphError(`The service answered ${response.status}, and not as JSON.`, {}, requestId);
  }
}

const codes: Readonly<Record<number, string>> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' };
const codeOf = ({ status }: Response) => ({ code: codes[status] ?? 'REFUSED' });
