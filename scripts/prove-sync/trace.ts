/** Reads an strace of the embedded store: what was written to its log, what was synced, which reply went out when. */
export type Event =
  | { kind: 'log write' }
  | { kind: 'log sync' }
  | { kind: 'data sync' }
  | { kind: 'reply'; to: number };

/** Turns a trace (strace -f -y -xx) into events. A write counts from its beginning, a sync from its end. */
export function readTrace(text: string): Event[] {
  const events: Event[] = [];
  /** Syncs of other threads that had begun when strace switched away from them. */
  const begun = new Map<string, Event>();
  for (const line of text.split('\n')) {
    const resumed = /^(\d+) +<\.\.\. \w+ resumed>.*= 0$/.exec(line);
    if (resumed) {
      const event = begun.get(resumed[1] ?? '');
      begun.delete(resumed[1] ?? '');
      if (event) events.push(event);
      continue;
    }
    const [, thread = '', call = '', path = '', rest = ''] =
      /^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$/.exec(line) ?? [];
    const event = eventOf(call, plain(path), rest);
    if (!event) continue;
    if (!event.kind.endsWith('sync')) events.push(event);
    else if (rest.includes('<unfinished')) begun.set(thread, event);
    else if (rest.endsWith('= 0')) events.push(event);
  }
  return events;
}

function eventOf(call: string, path: string, rest: string): Event | null {
  if (call === 'fsync' || call === 'fdatasync') {
    if (path.endsWith('data.sqlite-wal')) return { kind: 'log sync' };
    return path.endsWith('data.sqlite') ? { kind: 'data sync' } : null;
  }
  if (path.endsWith('data.sqlite-wal')) return { kind: 'log write' };
  if (!path.startsWith('socket:')) return null;
  // A message begins with its length, its number, and the number of the request that it answers.
  const bytes = Buffer.from((/"((?:\\x[0-9a-f]{2})+)"/.exec(rest)?.[1] ?? '').replaceAll('\\x', ''), 'hex');
  return bytes.length < 16 ? null : { kind: 'reply', to: bytes.readInt32LE(8) };
}

/** strace writes paths in hexadecimal too when it is told to do so with data. */
const plain = (path: string): string =>
  path.replace(/\\x([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** A write command that the client sent; `alone` when no other was under way. */
export type Sent = { name: string; alone: boolean };

export type Verdict = {
  replies: number;
  logWrites: number;
  logSyncs: number;
  dataSyncs: number;
  /** Syncs that ended a transaction: those after at least one write to the log. */
  commits: number;
  violations: string[];
};

/**
 * Holds a trace against the promise: when the reply to a write command goes out, everything written to the log has been
 * synced; and a command that ran alone has written and synced something of its own.
 */
export function judge(events: Event[], sent: ReadonlyMap<number, Sent>): Verdict {
  const verdict: Verdict = {
    replies: 0,
    logWrites: 0,
    logSyncs: 0,
    dataSyncs: 0,
    commits: 0,
    violations: [],
  };
  let unsynced = 0;
  let commitsBefore = 0;
  for (const event of events) {
    if (event.kind === 'log write') {
      verdict.logWrites += 1;
      unsynced += 1;
    } else if (event.kind === 'log sync') {
      verdict.logSyncs += 1;
      if (unsynced > 0) verdict.commits += 1;
      unsynced = 0;
    } else if (event.kind === 'data sync') {
      verdict.dataSyncs += 1;
    } else {
      const command = sent.get(event.to);
      if (!command) continue;
      verdict.replies += 1;
      if (unsynced > 0)
        verdict.violations.push(`${command.name}: answered with ${unsynced} unsynced writes to the log`);
      else if (command.alone && verdict.commits === commitsBefore)
        verdict.violations.push(`${command.name}: answered without a sync of its own`);
      commitsBefore = verdict.commits;
    }
  }
  if (verdict.replies !== sent.size)
    verdict.violations.push(`${verdict.replies} replies for ${sent.size} commands`);
  return verdict;
}
