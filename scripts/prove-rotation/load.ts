import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { Call } from './judge.ts';

export type Installation = {
  /** Of the processes, which share the database. */
  urls: string[];
  databaseUri: string;
  /** A key that may make and rotate keys of its workspace. */
  adminKey: string;
};

/**
 * Durations in milliseconds: the load before the rotation, the transition, the load after it. A transition of null lasts
 * as long as the rotation says.
 */
export type Plan = { perSecond: number; before: number; transition: number | null; after: number };

/** Rotates a key under load. Answers every call that was made, in how many seconds, and when the old secret ended. */
export async function rotateUnderLoad(installation: Installation, plan: Plan) {
  const [first = ''] = installation.urls;
  const admin = (method: string, path: string, body?: object) =>
    call(`${first}/v1/api-keys${path}`, installation.adminKey, body, method);
  const { id, key: old } = await admin('POST', '/workspace/service', {
    name: 'rotated',
    scopes: ['completions.write'],
  });
  const startedAt = Date.now();
  const load = startLoad(installation.urls, plan.perSecond);
  load.use('old', old);
  await sleep(plan.before);
  const { key: renewed, key_transition_expires_at: expiresAt } = await admin('POST', `/${id}/rotate`);
  load.use('new', renewed);
  let end = Date.parse(expiresAt);
  if (plan.transition !== null) {
    end = Date.now() + plan.transition;
    await moveEnd(installation.databaseUri, id, new Date(end));
    // Any change of the key makes the processes read it again.
    await admin('PUT', `/${id}`, { name: 'in transition' });
  }
  await sleep(end + plan.after - Date.now());
  const seconds = (Date.now() - startedAt) / 1000;
  return { end, seconds, calls: await load.stop() };
}

async function moveEnd(uri: string, id: string, end: Date): Promise<void> {
  const client = new MongoClient(uri);
  try {
    const { matchedCount } = await client
      .db()
      .collection<{ _id: string }>('api_keys')
      .updateOne(
        { _id: id, previousSecret: { $exists: true } },
        { $set: { 'previousSecret.expiresAt': end } },
      );
    if (matchedCount !== 1) throw new Error('The key is not in a transition.');
  } finally {
    await client.close();
  }
}

/** Inference with every secret in use on every process, in turn, `perSecond` calls in all. */
function startLoad(urls: string[], perSecond: number) {
  const secrets = new Map<Call['secret'], string>();
  const calls: Promise<Call>[] = [];
  const started = Date.now();
  const timer = setInterval(() => {
    const pairs = urls.flatMap((url) => [...secrets].map(([secret, key]) => ({ url, secret, key })));
    while (pairs.length > 0 && calls.length < ((Date.now() - started) / 1000) * perSecond) {
      const pair = pairs[calls.length % pairs.length];
      if (pair) calls.push(infer(pair));
    }
  }, 5);
  return {
    use(secret: Call['secret'], key: string) {
      secrets.set(secret, key);
    },
    stop(): Promise<Call[]> {
      clearInterval(timer);
      return Promise.all(calls);
    },
  };
}

async function infer(pair: { url: string; secret: Call['secret']; key: string }): Promise<Call> {
  const { url, secret, key } = pair;
  const body = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] };
  const sentAt = Date.now();
  const status = await request(`${url}/v1/chat/completions`, key, body).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    },
    () => 0,
  );
  return { url, secret, sentAt, answeredAt: Date.now(), status };
}

const request = (url: string, key: string, body?: object, method = 'POST') =>
  fetch(url, {
    method,
    headers: { 'x-gateway-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });

async function call(
  url: string,
  key: string,
  body: object | undefined,
  method: string,
): Promise<{ id: string; key: string; key_transition_expires_at: string }> {
  const answer = await request(url, key, body, method);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}
