import { createServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { Client, type Outcome } from '../../scripts/prove-mcp/client.ts';
import { type Findings, faultsOf } from '../../scripts/prove-mcp/judge.ts';
import { startProxy } from '../../scripts/prove-mcp/proxy.ts';
import { startCountingServer } from '../../scripts/prove-mcp/upstream.ts';
import { listen } from '../../src/http/server.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { serveMcp } from '../support/mcp-clients.ts';

const outcome = (more: Partial<Outcome> = {}): Outcome => ({
  ...{ mark: 'a-1', kind: 'answered', maybeExecuted: true, servedBy: '7', endedAt: 1000 },
  ...more,
});
const once = new Map([['a-1', 1]]);
const none = new Map<string, number>();
const found = (more: Partial<Findings>): string[] =>
  faultsOf({ outcomes: [outcome()], executed: once, logged: once, ...more });

describe('check 2: the judge of calls through gateways that are killed', () => {
  it('finds nothing where each call was made, answered and logged once, or broke off', () => {
    expect(found({})).toEqual([]);
    expect(found({ outcomes: [outcome({ kind: 'broken', servedBy: null })], logged: none })).toEqual([]);
    expect(found({ outcomes: [outcome({ kind: 'broken' })], executed: none, logged: none })).toEqual([]);
  });

  it('finds calls that were made twice, not at all, or against what their callers were told', () => {
    const twice = new Map([['a-1', 2]]);
    expect(found({ executed: twice })).toEqual(['a-1: it was executed 2 times.']);
    expect(found({ executed: none })).toEqual(['a-1: it was answered and not executed.']);
    const refused = outcome({ kind: 'refused', maybeExecuted: false });
    expect(found({ outcomes: [refused] })).toHaveLength(1);
    expect(found({ outcomes: [{ ...refused, maybeExecuted: true }] })).toEqual([]);
    expect(found({ logged: twice })).toEqual(['a-1: the log has it 2 times.']);
    expect(found({ outcomes: [outcome({ kind: 'session lost' })] })).toEqual(['a-1: its session was lost.']);
    expect(found({ outcomes: [outcome({ kind: 'wrong answer' })] })).toHaveLength(1);
  });

  it('finds calls that were answered, or refused, and are not in the log', () => {
    expect(found({ logged: none })).toEqual(['a-1: the log does not have it.']);
    const refused = outcome({ kind: 'refused' });
    expect(found({ outcomes: [refused], logged: none })).toEqual(['a-1: the log does not have it.']);
  });
});

describe('its clients', () => {
  it('call by turns through the processes that take connections, and know what broke off', async () => {
    const upstream = await startCountingServer();
    const app = await startApp();
    const dying = createServer((request) => request.socket.destroy());
    const port = await listen(dying, '127.0.0.1', 0);
    let targets = [
      { name: 'gone', url: 'http://127.0.0.1:9' },
      { name: 'app', url: app.url },
    ];
    const proxy = await startProxy(() => targets);
    try {
      await serveMcp(app, 'counting', { url: upstream.url });
      const session = new Client('session', proxy.url, app.workspaceKey);
      await session.open();
      const modern = new Client('modern', proxy.url, app.workspaceKey);
      for (const client of [session, modern, session])
        expect(await client.call()).toMatchObject({ kind: 'answered', servedBy: 'app' });
      targets = [{ name: 'dying', url: `http://127.0.0.1:${port}` }];
      expect(await modern.call()).toMatchObject({ kind: 'broken', servedBy: null });
      expect([...upstream.executed.values()]).toEqual([1, 1, 1]);
      await eventually(async () => {
        await app.logged();
        const rows = await app.db.collection('logs').find({ aiModel: 'counting/count' }).toArray();
        const ids = rows.map(({ mcp }) => JSON.parse(String(mcp)).requestId);
        expect(ids.sort()).toEqual(['modern-1', 'session-1', 'session-2']);
      });
    } finally {
      await proxy.stop();
      await app.stop();
      await upstream.stop();
      await new Promise((resolve) => dying.close(resolve));
    }
  });
});
