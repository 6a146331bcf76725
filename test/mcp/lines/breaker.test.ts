import { describe, expect, it } from '@jest/globals';
import { createBreaker } from '../../../src/mcp/lines/breaker.ts';

const server = { slug: 'dead', upstream: { id: 'one' } } as never;
const other = { slug: 'alive', upstream: { id: 'two' } } as never;

describe('check 38: a server that does not answer', () => {
  it('is left alone after five failures within 30 seconds, and no other one with it', () => {
    let at = 0;
    const breaker = createBreaker(() => at);
    for (let turn = 0; turn < 4; turn++) breaker.note(server, true);
    at = 30_001;
    breaker.note(server, true);
    expect(() => breaker.enter(server)).not.toThrow();
    for (let turn = 0; turn < 4; turn++) breaker.note(server, true);
    expect(() => breaker.enter(server)).toThrow(
      expect.objectContaining({ code: -31503, data: expect.objectContaining({ retry_after_ms: 10_000 }) }),
    );
    expect(() => breaker.enter(other)).not.toThrow();
  });

  it('is tried by one request after ten seconds, and is back with its first answer', () => {
    let at = 0;
    const breaker = createBreaker(() => at);
    for (let turn = 0; turn < 5; turn++) breaker.note(server, true);
    at = 10_000;
    breaker.enter(server);
    expect(() => breaker.enter(server)).toThrow();
    breaker.note(server, false);
    expect(breaker.isOpen(server)).toBe(false);
    expect(() => breaker.enter(server)).not.toThrow();
  });

  it('is left alone again where it does not answer that one', () => {
    let at = 0;
    const breaker = createBreaker(() => at);
    for (let turn = 0; turn < 5; turn++) breaker.note(server, true);
    at = 10_000;
    breaker.enter(server);
    breaker.note(server, true);
    at = 19_999;
    expect(() => breaker.enter(server)).toThrow();
    at = 20_000;
    expect(() => breaker.enter(server)).not.toThrow();
  });
});
