/** The provider answered, and it makes no sense. */
export class UnreadableAnswer extends Error {}

/** The provider's stream stopped before it said that it was at its end. */
export class CutOff extends UnreadableAnswer {
  constructor() {
    super('the stream ended before its end');
  }
}

/** What a provider says within a stream instead of going on. */
export class Reported extends Error {
  readonly report: unknown;
  constructor(report: unknown) {
    super('The provider reports an error in its stream.');
    this.report = report;
  }
}
