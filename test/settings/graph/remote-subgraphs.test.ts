import { describe, expect, it } from '@jest/globals';
import { house } from '../../../src/assembly/house.ts';
import { readSettings, SettingsError } from '../../../src/settings/index.ts';

const read = (remotes: unknown) =>
  readSettings({ REMOTE_SUBGRAPHS: typeof remotes === 'string' ? remotes : JSON.stringify(remotes) }, house)
    .remoteSubgraphs;

function complaintAbout(remotes: unknown): string {
  try {
    read(remotes);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return '';
}

const billing = { name: 'billing', url: 'https://billing.example.com/graphql' };

describe('REMOTE_SUBGRAPHS', () => {
  it('names remote subgraphs; all but name and URL has a default', () => {
    expect(readSettings({}).remoteSubgraphs).toEqual({ list: [], pollInterval: 10_000 });
    const headers = { 'X-Secret': 'abc' };
    const crm = { name: 'crm', url: 'http://crm/', headers, timeout_ms: 100, forward_headers: ['Cookie'] };
    expect(read([billing, crm]).list).toEqual([
      { ...billing, headers: {}, timeout: 5000, forwardHeaders: [] },
      {
        name: 'crm',
        url: 'http://crm/',
        headers: { 'x-secret': 'abc' },
        timeout: 100,
        forwardHeaders: ['cookie'],
      },
    ]);
  });

  it.each([
    ['text that is not JSON', '[{', /REMOTE_SUBGRAPHS: must be JSON/],
    ['something else than a list', billing, /REMOTE_SUBGRAPHS: .*array/],
    ['a member that is not known', [{ ...billing, uri: 1 }], /REMOTE_SUBGRAPHS\.0: .*uri/],
    ['the name of a built-in subgraph', [{ ...billing, name: 'identity' }], /0\.name: .*built-in/],
    ['a name twice', [billing, billing], /1\.name: .*earlier/],
    ['a name that is no file name', [{ ...billing, name: '../x' }], /0\.name: must be/],
    ['a URL that is none', [{ ...billing, url: 'billing' }], /0\.url: must be/],
    ['another protocol', [{ ...billing, url: 'file:///etc/passwd' }], /0\.url: must be/],
    ['a timeout out of bounds', [{ ...billing, timeout_ms: 1 }], /0\.timeout_ms/],
    [
      'a forwarded header that tells who calls',
      [{ ...billing, forward_headers: ['X-Gateway-Organisation-Id'] }],
      /0\.forward_headers\.0: .*itself/,
    ],
    [
      'a fixed header that tells who calls',
      [{ ...billing, headers: { 'x-gateway-workspace-id': 'w' } }],
      /0\.headers\.x-gateway-workspace-id/,
    ],
  ])('refuses %s', (_what, remotes, complaint) => {
    expect(complaintAbout(remotes)).toMatch(complaint);
  });

  it('reports all mistakes together and repeats no value', () => {
    const complaint = complaintAbout([
      { name: 'A', url: 'https://user:hunter2@host/' },
      { ...billing, headers: { 'x-secret': 'hunter3\n' }, timeout_ms: 'hunter4' },
    ]);
    for (const path of ['0.name', '0.url', '1.headers', '1.timeout_ms']) expect(complaint).toContain(path);
    expect(complaint).not.toContain('hunter');
  });
});
