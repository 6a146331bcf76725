/** Takes a file that does not exist for none; throws any other error. */
export function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
