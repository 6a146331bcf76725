/** What a test asserts does not hold. */
export class Mismatch extends Error {}

/** The runner itself cannot do what a test asks for, for instance because it does not know an operation. */
export class RunnerError extends Error {}

/** A test that can never apply to this driver or server; the message is the reason under which it is skipped. */
export class NotApplicable extends Error {}
