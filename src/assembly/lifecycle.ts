/** A part of the service that begins something, ends something, or both. */
export type ServicePart = { start?(): unknown; stop?(): unknown };

/** Parts in the order of the start; null and undefined stand for parts that this installation does without. */
export type Lifecycle = readonly (ServicePart | null | undefined)[];

/** Starts the parts one after the other. */
export async function startAll(parts: Lifecycle): Promise<void> {
  for (const part of parts) await part?.start?.();
}

/** Stops the parts in the opposite order. */
export async function stopAll(parts: Lifecycle): Promise<void> {
  for (const part of parts.toReversed()) await part?.stop?.();
}
