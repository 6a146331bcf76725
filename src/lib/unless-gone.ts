/** Whether a system call found nothing under its path. */
export const isMissing = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';

/** Null when another process has taken the file meanwhile. */
export async function unlessGone<R>(work: Promise<R>): Promise<R | null> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
