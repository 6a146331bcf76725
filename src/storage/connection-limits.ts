/** Milliseconds after which a database that hangs is treated like one that is away. */
export const connectionLimits = {
  serverSelectionTimeoutMS: 5000,
  connectTimeoutMS: 5000,
  socketTimeoutMS: 10_000,
};
