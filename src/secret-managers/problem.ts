/**
 * What came of asking a secret manager, where that was no value. `unreachable`: no answer, or one that says to come back;
 * `denied`: it does not let the reference in; `missing`: it has no such secret; `unreadable`: its answer, or the secret, has
 * not the form that is needed.
 */
export type SecretFault = 'unreachable' | 'denied' | 'missing' | 'unreadable';

/** Why a secret is not to be had, in the gateway's own words: what a manager says could repeat a credential. */
export class SecretProblem extends Error {
  readonly fault: SecretFault;

  constructor(fault: SecretFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SecretProblem';
    this.fault = fault;
  }
}
