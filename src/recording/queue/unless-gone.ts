/** Null when another process has taken the file meanwhile. */
export async function unlessGone<R>(work: Promise<R>): Promise<R | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
