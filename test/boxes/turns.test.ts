import { describe, expect, it } from '@jest/globals';
import { createTurns } from '../../src/boxes/turns.ts';

const never = new AbortController().signal;

describe('turns', () => {
  it('let as many in as there are places, and the next one when a place is given back', async () => {
    const turns = createTurns(2);
    const [first] = await Promise.all([turns.enter('a', never), turns.enter('a', never)]);
    expect(turns.free()).toBe(0);
    let isIn = false;
    const third = turns.enter('a', never).then((leave) => {
      isIn = true;
      return leave;
    });
    await Promise.resolve();
    expect(isIn).toBe(false);
    first();
    const leave = await third;
    leave();
    leave();
    expect(turns.free()).toBe(1);
  });

  it('serve lines one after the other, however long one of them is', async () => {
    const turns = createTurns(1);
    const served: string[] = [];
    const leave = await turns.enter('first', never);
    const work = ['a1', 'a2', 'a3', 'b1', 'c1'].map(async (name) => {
      const done = await turns.enter(name.slice(0, 1), never);
      served.push(name);
      done();
    });
    leave();
    await Promise.all(work);
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('keep no place for whoever has gone', async () => {
    const turns = createTurns(1);
    const leave = await turns.enter('a', never);
    const controller = new AbortController();
    const gone = turns.enter('b', controller.signal);
    const next = turns.enter('c', never);
    controller.abort(new Error('Gone.'));
    await expect(gone).rejects.toThrow('Gone.');
    leave();
    (await next)();
    expect(turns.free()).toBe(1);
    await expect(turns.enter('d', controller.signal)).rejects.toThrow('Gone.');
  });
});
