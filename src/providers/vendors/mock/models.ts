/** What a model name asks of the mock provider. */
export type Behaviour = {
  status: number;
  /** Milliseconds before the answer. */
  delay: number;
  /** Milliseconds before each frame of a stream. */
  pause: number;
};

const MAX_WAIT = 60_000;

/** The behaviour behind a model name, or null for a name that the mock provider does not have. */
export function behaviourOf(model: string): Behaviour | null {
  if (model === 'mock-1' || model === 'mock-embedding-1') return { status: 200, delay: 0, pause: 0 };
  const match = /^mock-(error|delay|slow)-(\d{1,5})$/.exec(model);
  if (!match) return null;
  const amount = Number(match[2]);
  if (match[1] === 'error')
    return amount >= 400 && amount <= 599 ? { status: amount, delay: 0, pause: 0 } : null;
  if (amount > MAX_WAIT) return null;
  return match[1] === 'delay'
    ? { status: 200, delay: amount, pause: 0 }
    : { status: 200, delay: 0, pause: amount };
}
