import { expect } from '@jest/globals';
import type { Answer, TestApp } from '../../support/app.ts';
import type { Account } from '../../support/identities.ts';

export const asBearer = (token: string, headers: Record<string, string> = {}) => ({
  key: null,
  headers: { authorization: `Bearer ${token}`, ...headers },
});

export const errorIn = ({ status, body }: Answer) => {
  const { error } = body as { error?: { code: string; message: string } };
  return { status, code: error?.code, message: error?.message };
};

/** The error that reports an authorisation code which is not valid. */
export const invalid = (reason: RegExp) => ({
  status: 401,
  code: 'AB05',
  message: expect.stringMatching(new RegExp(`^The authorisation code is not valid\\. .*${reason.source}`)),
});

/** What accounts do with an app, which is there when the tests run. */
export function bearers(setting: () => TestApp) {
  const tokenOf = (account: Account, tenant: { _id: string } = { _id: account.tsgId }) =>
    setting().token({ ...account, tsgId: tenant._id });
  return {
    tokenOf,
    /** The OAuth error that an account gets in place of a token. */
    refusalOf: (account: Account, tenant?: { _id: string }) =>
      tokenOf(account, tenant).then(
        () => 'none',
        (error: Error) => /"error":"(\w+)"/.exec(error.message)?.[1],
      ),
    get: (path: string, token: string, headers?: Record<string, string>): Promise<Answer> =>
      setting().rest('GET', path, asBearer(token, headers)),
    whoIs: async (token: string) =>
      (await setting().graphql('{ organisation { id } }', {}, token)).data?.organisation.id,
  };
}
