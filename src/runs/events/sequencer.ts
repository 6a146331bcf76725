/** Ends of a run, after which nothing but `done` may come; a run that waits for outputs ends its stream, too. */
const lastOfRun = /^thread\.run\.(completed|incomplete|failed|cancelled|expired|requires_action)$/;
const endOfStep = /^thread\.run\.step\.(completed|failed|cancelled|expired)$/;
const endOfMessage = /^thread\.message\.(completed|incomplete)$/;

/**
 * Holds the events of a run to the order that SDKs insist on: at most one step and one message are open, each is created
 * before anything else is said of it, and nothing follows the run's last event. Throws for an event out of order, which is
 * a defect of this program.
 */
export class Sequencer {
  #step: string | null = null;
  #message: string | null = null;
  #isOver = false;
  #hasBegun = false;

  check(event: string, id: string): void {
    const refuse = (why: string): never => {
      throw new Error(`${event} of ${id} is out of order: ${why}.`);
    };
    if (this.#isOver) refuse('the run is over');
    if (event.startsWith('thread.run.step.')) this.#checkStep(event, id, refuse);
    else if (event.startsWith('thread.message.')) this.#checkMessage(event, id, refuse);
    else if (lastOfRun.test(event)) {
      if (this.#message) refuse(`${this.#message} is open`);
      if (this.#step && event !== 'thread.run.requires_action') refuse(`${this.#step} is open`);
      this.#isOver = true;
    }
    this.#hasBegun = true;
  }

  #checkStep(event: string, id: string, refuse: (why: string) => never): void {
    if (event === 'thread.run.step.created') {
      if (this.#step) refuse(`${this.#step} is open`);
      this.#step = id;
    } else if (this.#step !== id) {
      // Outputs complete the step of an earlier stream, before anything else.
      if (!(endOfStep.test(event) && !this.#hasBegun)) refuse('the step is not open');
    } else if (endOfStep.test(event)) {
      if (this.#message) refuse(`${this.#message} is open`);
      this.#step = null;
    }
  }

  #checkMessage(event: string, id: string, refuse: (why: string) => never): void {
    if (event === 'thread.message.created') {
      if (this.#message) refuse(`${this.#message} is open`);
      if (!this.#step) refuse('no step is open');
      this.#message = id;
    } else if (this.#message !== id) refuse('the message is not open');
    else if (endOfMessage.test(event)) this.#message = null;
  }
}
