/** Options of every connection, whatever MONGODB_URI says. */
export const connectionOptions = {
  // Milliseconds after which a database that hangs is treated like one that is away.
  serverSelectionTimeoutMS: 5000,
  connectTimeoutMS: 5000,
  socketTimeoutMS: 10_000,
  // A secondary lags behind: what was revoked would be read again as it was, and kept in memory.
  readPreference: 'primary',
} as const;
