import { readFile } from 'node:fs/promises';
import { GatewayError } from '../../../errors/index.ts';

/** Milliseconds for an answer; who gives out identities is on the same machine or network. */
const PATIENCE_MS = 5000;
/** Characters of a token in a file. */
const MAX_TOKEN = 16 * 1024;

const unavailable = (message: string, cause?: unknown) =>
  new GatewayError('PROVIDER_UNREACHABLE', { message, cause });

/**
 * Asks a place that the operator's cloud has set; such addresses come from no caller. `who`: as the error calls it.
 * Anything but a success is thrown with its status alone: the answer may hold a secret.
 */
export async function askCloud(who: string, url: string, init: RequestInit = {}): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await fetch(url, { ...init, redirect: 'error', signal }).catch((cause: unknown) => {
    throw unavailable(`${who} cannot be reached.`, cause);
  });
  const text = await answer.text().catch((cause: unknown) => {
    throw unavailable(`${who} broke off its answer.`, cause);
  });
  if (!answer.ok) throw unavailable(`${who} gives the gateway nothing (status ${answer.status}).`);
  return text;
}

/** The same for an answer in JSON. */
export async function askCloudJson<T>(who: string, url: string, init?: RequestInit): Promise<Partial<T>> {
  const text = await askCloud(who, url, init);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Partial<T>;
  } catch {
    // The parse error would quote a secret.
  }
  throw unavailable(`${who} answered something that is no JSON object.`);
}

/** A token that the cloud keeps fresh in a file. */
export async function tokenIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw unavailable("The file with the token of the gateway's own identity cannot be read.", cause);
  });
  const token = text.trim();
  if (token !== '' && token.length <= MAX_TOKEN) return token;
  throw unavailable("The file with the token of the gateway's own identity holds no token.");
}

export const nothingGiven = (who: string) => unavailable(`${who} did not answer what was asked for.`);
