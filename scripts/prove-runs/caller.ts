import { setTimeout as wait } from 'node:timers/promises';
import type { Fleet } from '../prove-limits/fleet.ts';

type Run = {
  id: string;
  status: string;
  last_error: { message: string } | null;
  required_action: { submit_tool_outputs: { tool_calls: { id: string }[] } } | null;
};
type Answer = { status: number; text: string };

/** Milliseconds for which a request waits for its answer, and between two looks at a run. */
const PATIENCE_MS = 4000;
const LOOK_MS = 150;
/** Milliseconds after which a run is late: a process counts as dead after six seconds, and a run may lose several. */
const LATE_MS = 60_000;
/** What the model says slowly, a word at a time. */
const QUESTION = '/tool one two three four five six seven eight nine ten';

/** Programs that talk to assistants, and try again where a gateway leaves them without an answer. */
export class Caller {
  readonly runIds = new Set<string>();
  readonly faults: string[] = [];
  /** Requests that were sent again, and runs that ended because one process after another died. */
  repeated = 0;
  worn = 0;
  #assistantId = '';
  readonly #fleet: Fleet;
  readonly #key: string;

  constructor(fleet: Fleet, key: string) {
    this.#fleet = fleet;
    this.#key = key;
  }

  async makeAssistant(): Promise<void> {
    const tools = [{ type: 'function', function: { name: 'look' } }];
    this.#assistantId = (await this.#made('/assistants', { model: '@mock/mock-slow-50', tools })).id;
  }

  /** Has one thread answered; what is not as it must be becomes a fault. */
  async converse(isStreamed: boolean): Promise<void> {
    const { id: threadId } = await this.#made('/threads', {
      messages: [{ role: 'user', content: QUESTION }],
    });
    const path = `/threads/${threadId}/runs`;
    await this.#create(path, isStreamed);
    const deadline = performance.now() + LATE_MS;
    while (performance.now() < deadline) {
      await wait(LOOK_MS);
      const { data } = await this.#get<{ data: Run[] }>(path);
      const waiting = data.find(({ status }) => status === 'requires_action');
      if (waiting) await this.#submit(`${path}/${waiting.id}`, waiting, isStreamed);
      else if (data.every(({ status }) => !['queued', 'in_progress'].includes(status))) {
        for (const run of data) await this.#judge(threadId, run);
        return;
      }
    }
    this.faults.push(`${threadId} was not answered in ${LATE_MS / 1000} s.`);
  }

  async #judge(threadId: string, { id, status, last_error: error }: Run): Promise<void> {
    this.runIds.add(id);
    if (status === 'failed' && error?.message.includes('each process')) {
      this.worn++;
      return;
    }
    if (status !== 'completed') return void this.faults.push(`${id} is ${status}: ${error?.message}`);
    const { data } = await this.#get<{ data: { content: { text: { value: string } }[] }[] }>(
      `/threads/${threadId}/messages?run_id=${id}`,
    );
    const said = data.map(({ content }) => content[0]?.text.value);
    if (said.length !== 1 || said[0] !== QUESTION)
      this.faults.push(`${id} was answered ${JSON.stringify(said)}.`);
  }

  /**
   * Creates the run of a thread: where no answer came, it may be there, and a second one is refused. A gateway that stood still may
   * make one of a request that was given up.
   */
  async #create(path: string, isStreamed: boolean): Promise<void> {
    for (;;) {
      const body = { assistant_id: this.#assistantId, stream: isStreamed };
      const answer = await this.#request('POST', path, body);
      if (answer?.status === 200 || answer?.text.includes('already has an active run')) return;
      if (answer && answer.status < 500) return void this.faults.push(`${path}: ${answer.text}`);
      this.repeated++;
      const list = await this.#get<{ data: Run[] }>(path);
      if (list.data.length > 0) return;
    }
  }

  async #submit(path: string, run: Run, isStreamed: boolean): Promise<void> {
    const calls = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    const outputs = calls.map(({ id }) => ({ tool_call_id: id, output: 'Seen.' }));
    const body = { tool_outputs: outputs, stream: isStreamed };
    const answer = await this.#request('POST', `${path}/submit_tool_outputs`, body);
    if (!answer) this.repeated++;
    // An answer that was lost may have had its effect.
    else if (answer.status === 400 && !answer.text.includes('do not accept tool outputs'))
      this.faults.push(`${path}: ${answer.text}`);
  }

  async #made(path: string, body: object): Promise<{ id: string }> {
    for (;;) {
      const answer = await this.#request('POST', path, body);
      if (answer?.status === 200) return JSON.parse(answer.text);
      if (answer && answer.status < 500) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      this.repeated++;
    }
  }

  async #get<T>(path: string): Promise<T> {
    for (;;) {
      const answer = await this.#request('GET', path);
      if (answer?.status === 200) return JSON.parse(answer.text) as T;
      if (answer && answer.status < 500) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      this.repeated++;
    }
  }

  /** Null where no whole answer came. */
  async #request(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer | null> {
    const pool = this.#fleet.any();
    if (!pool) {
      await wait(LOOK_MS);
      return null;
    }
    const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' };
    try {
      const answer = await pool.request({
        path: `/v1${path}`,
        method,
        headers,
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch {
      // The gateway was killed, or stands still.
      await wait(LOOK_MS);
      return null;
    }
  }
}
