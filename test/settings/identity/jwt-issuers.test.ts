import { describe, expect, it } from '@jest/globals';
import { readSettings, SettingsError } from '../../../src/settings/index.ts';

const read = (issuers: unknown) =>
  readSettings({ JWT_ISSUERS: typeof issuers === 'string' ? issuers : JSON.stringify(issuers) }).identity
    .jwtIssuers;

function complaintAbout(issuers: unknown): string {
  try {
    read(issuers);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return '';
}

const main = {
  issuer: 'https://id.example.com/',
  jwks_url: 'https://id.example.com/jwks',
  organisation_id: 'o1',
};

describe('JWT_ISSUERS', () => {
  it('names issuers, each with its organisation', () => {
    expect(readSettings({}).identity.jwtIssuers).toEqual([]);
    const other = {
      issuer: 'other',
      jwks_url: 'http://10.0.0.1/',
      organisation_id: 'o2',
      audience: 'sluice',
    };
    expect(read([main, other])).toEqual([
      { issuer: main.issuer, jwksUrl: main.jwks_url, organisationId: 'o1', audience: null },
      { issuer: 'other', jwksUrl: 'http://10.0.0.1/', organisationId: 'o2', audience: 'sluice' },
    ]);
  });

  it.each([
    ['text that is not JSON', '[{', /JWT_ISSUERS: must be JSON/],
    ['something else than a list', main, /JWT_ISSUERS: .*array/],
    ['a member that is not known', [{ ...main, secret: 1 }], /JWT_ISSUERS\.0: .*secret/],
    ['an issuer twice', [main, { ...main, organisation_id: 'o2' }], /1\.issuer: .*earlier/],
    ['an issuer without organisation', [{ ...main, organisation_id: undefined }], /0\.organisation_id/],
    ['keys at another protocol', [{ ...main, jwks_url: 'file:///etc/passwd' }], /0\.jwks_url: must be/],
    ['an empty audience', [{ ...main, audience: '' }], /0\.audience/],
  ])('refuses %s', (_what, issuers, complaint) => {
    expect(complaintAbout(issuers)).toMatch(complaint);
  });

  it('reports all mistakes together and repeats no value', () => {
    const complaint = complaintAbout([
      { ...main, jwks_url: 'https://user:hunter2@host/' },
      { ...main, issuer: '', organisation_id: 7 },
    ]);
    for (const path of ['0.jwks_url', '1.issuer', '1.organisation_id']) expect(complaint).toContain(path);
    expect(complaint).not.toContain('hunter');
  });
});
