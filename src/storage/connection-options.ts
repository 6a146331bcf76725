/** Options of every connection, whatever MONGODB_URI says. */
export const connectionOptions = {
  // Milliseconds after which a database that hangs counts as unreachable.
  serverSelectionTimeoutMS: 5000,
  connectTimeoutMS: 5000,
  socketTimeoutMS: 10_000,
  // Reads go to the primary: a secondary lags behind, and could give back a key that was revoked, which memory would
  // then keep.
  readPreference: 'primary',
  // Drivers wrote all texts that are read, as valid UTF-8. Looking at each character again takes ten times as long as the text.
  enableUtf8Validation: false,
} as const;
