import { expect } from '@jest/globals';
import type { Answer, TestApp } from '../support/app.ts';

/** The body of an answer that must have this status. */
export function bodyOf(answer: Answer, status = 200): any {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
  return answer.body;
}

/** Status, code and field of an answer in the administration's error shape. */
export function refusalOf({ status, body }: Answer) {
  const { error } = body as { error: { code: string; param: string | null } };
  return { status, code: error.code, param: error.param };
}

type Call = [method: string, path: string, body?: unknown];

/** Every path takes a valid credential with the scope, and nothing else. */
export async function expectGuarded(app: TestApp, call: Call, keyWithout: string): Promise<void> {
  const [method, path, body] = call;
  const answer = (key: string | null) => app.rest(method, path, { key, body });
  expect(refusalOf(await answer(null))).toMatchObject({ status: 401, code: 'AB05' });
  expect(refusalOf(await answer('sl-not-a-key'))).toMatchObject({ status: 401, code: 'AB05' });
  expect(refusalOf(await answer(keyWithout))).toMatchObject({ status: 403, code: 'AB03' });
}

export const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
