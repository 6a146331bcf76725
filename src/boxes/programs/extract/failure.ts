/** A file out of which no text can be read, and the sentence that says why. */
export class Unreadable extends Error {
  readonly failure: 'unsupported_file' | 'invalid_file';

  constructor(message: string, failure: Unreadable['failure'] = 'invalid_file') {
    super(message);
    this.failure = failure;
  }
}
