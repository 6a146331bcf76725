import { join, resolve } from 'node:path';
import { MongoClient } from 'mongodb';
import { readSettings } from '../src/settings/index.ts';
import { findEmbedded } from '../src/storage/embedded/index.ts';

/** `npm run backup -- <file>`: copies the embedded store of the running service into a new file. */
async function main(file: string | undefined): Promise<string> {
  if (!file) throw new Error('Usage: npm run backup -- <file>');
  const { dataDirectory, mongodbUri } = readSettings().storage;
  if (mongodbUri)
    throw new Error('MONGODB_URI is set: back that database up with its own tools, for instance mongodump.');
  const directory = join(dataDirectory, 'store');
  const uri = await findEmbedded(directory);
  if (!uri) throw new Error(`No service is running on ${directory}; what it holds can be copied as it is.`);
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 3000 });
  try {
    const target = resolve(file);
    const { bytes } = await client.db('admin').command({ backup: target });
    return `Backed up to ${target} (${(bytes / 1e6).toFixed(1)} MB).`;
  } finally {
    await client.close();
  }
}

try {
  console.log(await main(process.argv[2]));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
