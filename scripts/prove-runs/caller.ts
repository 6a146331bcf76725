import { setTimeout as wait } from 'node:timers/promises';
import { Client, type Door } from './client.ts';

type Run = {
  id: string;
  status: string;
  last_error: { message: string } | null;
  required_action: { submit_tool_outputs: { tool_calls: { id: string }[] } } | null;
};

/** Milliseconds between two looks at a run. */
const LOOK_MS = 150;
/** Milliseconds after which a run is late: a process counts as dead after six seconds, and a run may lose several. */
export const LATE_MS = 60_000;
/** What the model says slowly, a word at a time. */
const QUESTION = '/tool one two three four five six seven eight nine ten';

/** Programs that talk to assistants, and try again where a gateway leaves them without an answer. */
export class Caller {
  readonly runIds = new Set<string>();
  readonly faults: string[] = [];
  /** Runs that ended because one process after another died. */
  worn = 0;
  readonly client: Client;
  #assistantId = '';

  constructor(door: Door, key: string) {
    this.client = new Client(door, key);
  }

  /** An assistant that speaks slowly and has no functions. */
  async makeSpeaker(): Promise<string> {
    return (await this.client.make('/assistants', { model: '@mock/mock-slow-50' })).id;
  }

  async makeAssistant(): Promise<void> {
    const tools = [{ type: 'function', function: { name: 'look' } }];
    this.#assistantId = (await this.client.make('/assistants', { model: '@mock/mock-slow-50', tools })).id;
  }

  /** Has one thread answered; what is not as it must be becomes a fault. */
  async converse(isStreamed: boolean): Promise<void> {
    const { id: threadId } = await this.client.make('/threads', {
      messages: [{ role: 'user', content: QUESTION }],
    });
    const path = `/threads/${threadId}/runs`;
    await this.#create(path, isStreamed);
    const deadline = performance.now() + LATE_MS;
    while (performance.now() < deadline) {
      await wait(LOOK_MS);
      const { data } = await this.client.get<{ data: Run[] }>(path);
      const waiting = data.find(({ status }) => status === 'requires_action');
      if (waiting) await this.#submit(`${path}/${waiting.id}`, waiting, isStreamed);
      else if (data.every(({ status }) => !['queued', 'in_progress'].includes(status))) {
        for (const run of data) await this.#judge(threadId, run, isStreamed);
        return;
      }
    }
    this.faults.push(`${threadId} was not answered in ${LATE_MS / 1000} s.`);
  }

  async #judge(threadId: string, { id, status, last_error: error }: Run, isStreamed: boolean): Promise<void> {
    this.runIds.add(id);
    if (isStreamed) this.#requireEnd(id, await this.client.text(`/threads/${threadId}/runs/${id}/events`));
    if (status === 'failed' && error?.message.includes('each process')) {
      this.worn++;
      return;
    }
    if (status !== 'completed') return void this.faults.push(`${id} is ${status}: ${error?.message}`);
    const { data } = await this.client.get<{ data: { content: { text: { value: string } }[] }[] }>(
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
      const answer = await this.client.request('POST', path, body);
      if (answer?.status === 200 && isStreamed) this.#requireEnd(path, answer.text);
      if (answer?.status === 200 || answer?.text.includes('already has an active run')) return;
      if (answer && answer.status < 500) return void this.faults.push(`${path}: ${answer.text}`);
      this.client.repeated++;
      const list = await this.client.get<{ data: Run[] }>(path);
      if (list.data.length > 0) return;
    }
  }

  async #submit(path: string, run: Run, isStreamed: boolean): Promise<void> {
    const calls = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    const outputs = calls.map(({ id }) => ({ tool_call_id: id, output: 'Seen.' }));
    const body = { tool_outputs: outputs, stream: isStreamed };
    const answer = await this.client.request('POST', `${path}/submit_tool_outputs`, body);
    if (!answer) this.client.repeated++;
    else if (answer.status === 200 && isStreamed) this.#requireEnd(path, answer.text);
    // An answer that was lost may have had its effect.
    else if (answer.status === 400 && !answer.text.includes('do not accept tool outputs'))
      this.faults.push(`${path}: ${answer.text}`);
  }

  /** Whoever reads along learns how it ended, or that it was interrupted. */
  #requireEnd(what: string, events: string): void {
    if (/^event: (?:done|error)$/m.test(events)) return;
    this.faults.push(`${what}: its events end without a word: ${events.slice(-200)}`);
  }
}
