import { describe, expect, test } from '@jest/globals';
import { isPlain } from '../../src/mcp/exchange/receive.ts';

describe('the bytes of a message go on as they came', () => {
  const plain = (text: string) => isPlain(Buffer.from(text), JSON.parse(text));

  test.each([
    [
      'one name in several objects',
      '{"params": {"name": "a", "arguments": {"name": "b"}, "list": [{"name": 1}]}}',
    ],
    ['colons in texts', '{"params" : {"name": "a: b", "uri": "http://c:80/"}}'],
    ['nothing', '{}'],
  ])('with %s', (_what, text) => {
    expect(plain(text)).toBe(true);
  });

  test.each([
    ['a member that stands twice', '{"method": "ping", "method": "tools/call"}'],
    ['a member that stands twice, far from its colon', '{"method" \n : "ping", "method": "tools/call"}'],
    ['one that stands twice deep inside', '{"params": [{"_meta": {"a/b": 1, "a/b": 2}}]}'],
    ['an escaped name', '{"m\\u0065thod": "ping"}'],
    ['an escaped slash', '{"_meta": {"a\\/b": 1}}'],
    ['what looks like a name in a text', '{"params": "say \\":\\" twice"}'],
  ])('but not with %s', (_what, text) => {
    expect(plain(text)).toBe(false);
  });
});
