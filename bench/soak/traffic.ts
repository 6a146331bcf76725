import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What became of the requests of a soak, by kind. */
export type Tally = { answered: number; failed: number; leftEarly: number; unexpected: string[] };

type Kind = { name: string; loops: number; pause: number; send: (round: number) => Promise<void> };

/** Different kinds of callers side by side, each of them in loops of its own, until `until` (milliseconds since the epoch). */
export async function runTraffic(
  port: number,
  headers: Record<string, string>,
  until: number,
  tally: Tally,
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const kinds: Kind[] = [
    { name: 'plain', loops: 16, pause: 40, send: (round) => plain({ model: 'gpt-bench' }, 200, round) },
    {
      name: 'large',
      loops: 1,
      pause: 50,
      send: () => plain({ model: 'gpt-bench', padding: filler }, 200, 0),
    },
    { name: 'failing', loops: 2, pause: 20, send: (round) => plain({ model: 'gpt-down' }, 503, round) },
    { name: 'stream', loops: 24, pause: 10, send: whole },
    { name: 'leaving', loops: 6, pause: 10, send: leaving },
    { name: 'keyless', loops: 1, pause: 200, send: () => plain({ model: 'gpt-bench' }, 401, 0, {}) },
  ];

  const bodyOf = (members: object) =>
    JSON.stringify({ ...members, messages: [{ role: 'user', content: `Say something. ${Math.random()}` }] });

  function open(body: string, given: Record<string, string> = headers): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          agent,
          host: '127.0.0.1',
          port,
          method: 'POST',
          path: '/v1/chat/completions',
          headers: { 'content-type': 'application/json', 'content-length': body.length, ...given },
        },
        resolve,
      );
      request.once('error', reject);
      request.end(body);
    });
  }

  async function plain(members: object, expected: number, round: number, given = headers): Promise<void> {
    const response = await open(bodyOf({ ...members, seed: round }), given);
    for await (const _chunk of response);
    expect(response.statusCode === expected, `${response.statusCode} in place of ${expected}`);
    if (expected === 200) tally.answered++;
    else if (expected !== 401) tally.failed++;
  }

  async function whole(): Promise<void> {
    const response = await open(bodyOf({ model: 'gpt-bench', stream: true }));
    let text = '';
    for await (const chunk of response) text += String(chunk);
    expect(text.endsWith('data: [DONE]\n\n'), 'a stream without its end');
    tally.answered++;
  }

  async function leaving(): Promise<void> {
    const response = await open(bodyOf({ model: 'gpt-bench', stream: true }));
    await sleep(Math.random() * 900);
    response.destroy();
    tally.leftEarly++;
  }

  function expect(holds: boolean, problem: string): void {
    if (!holds && tally.unexpected.length < 100) tally.unexpected.push(problem);
  }

  async function loop({ name, pause, send }: Kind): Promise<void> {
    for (let round = 0; Date.now() < until; round++) {
      try {
        await send(round);
      } catch (error) {
        expect(false, `${name}: ${(error as Error).message}`);
      }
      await sleep(pause);
    }
  }

  await Promise.all(kinds.flatMap((kind) => Array.from({ length: kind.loops }, () => loop(kind))));
  agent.destroy();
}

const filler = 'x'.repeat(64 * 1024);
