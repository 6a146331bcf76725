import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Connection, createConnection, Schema, Types } from 'mongoose';
import { errorOf, type Running, startServer } from './support.ts';

let running: Running;
let connection: Connection;

const teamSchema = new Schema({ name: String });
const userSchema = new Schema(
  {
    mail: { type: String, required: true, unique: true, lowercase: true },
    age: Number,
    tags: [String],
    team: { type: Schema.Types.ObjectId, ref: 'Team', index: true },
    settings: { type: Map, of: Number },
    history: [{ at: Date, what: String }],
  },
  { timestamps: true },
);

beforeAll(async () => {
  running = await startServer();
  connection = await createConnection(running.server.uri).asPromise();
});
afterAll(async () => {
  await connection.close();
  await running.stop();
});

test('a model goes round: create, populate, save, query, update, aggregate, delete', async () => {
  const Team = connection.model('Team', teamSchema);
  const User = connection.model('User', userSchema);
  await User.init();
  const red = await Team.create({ name: 'red' });
  const ann = await User.create({
    mail: 'Ann@X.io',
    age: 30,
    tags: ['a'],
    team: red._id,
    settings: { volume: 3 },
  });
  expect(ann.createdAt).toBeInstanceOf(Date);

  const found = await User.findOne({ mail: 'ann@x.io' })
    .populate<{ team: { name: string } }>('team')
    .orFail();
  expect(found.team.name).toBe('red');
  expect(found.settings?.get('volume')).toBe(3);

  found.tags.push('b');
  found.history.push({ at: new Date(), what: 'changed' });
  found.age = 31;
  await found.save();
  expect(await User.findById(ann._id).lean()).toMatchObject({
    age: 31,
    tags: ['a', 'b'],
    history: [{ what: 'changed' }],
  });

  const error = await errorOf(User.create({ mail: 'ann@x.io' }));
  expect(error).toMatchObject({ code: 11000, keyValue: { mail: 'ann@x.io' } });

  const updated = await User.findOneAndUpdate(
    { _id: ann._id },
    { $inc: { age: 1 }, $addToSet: { tags: 'c' } },
    { returnDocument: 'after' },
  ).orFail();
  expect([updated.age, [...updated.tags]]).toEqual([32, ['a', 'b', 'c']]);
  await User.updateOne({ mail: 'bob@x.io' }, { $setOnInsert: { age: 5 } }, { upsert: true });
  expect(await User.countDocuments({ age: { $gt: 1 } })).toBe(2);
  expect(await User.exists({ _id: new Types.ObjectId() })).toBeNull();
  expect(await User.distinct('tags')).toEqual(['a', 'b', 'c']);

  const groups = await User.aggregate([
    { $group: { _id: '$team', n: { $sum: 1 } } },
    { $sort: { n: 1, _id: 1 } },
  ]);
  expect(groups).toEqual([
    { _id: null, n: 1 },
    { _id: red._id, n: 1 },
  ]);

  const mails: string[] = [];
  for await (const user of User.find().sort('mail').cursor()) mails.push(user.mail);
  expect(mails).toEqual(['ann@x.io', 'bob@x.io']);

  const bulk = await User.bulkWrite([
    { updateMany: { filter: {}, update: { $set: { age: 1 } } } },
    { deleteOne: { filter: { mail: 'bob@x.io' } } },
  ]);
  expect([bulk.modifiedCount, bulk.deletedCount]).toEqual([2, 1]);
  await User.syncIndexes();
  expect(Object.keys(await User.collection.indexInformation())).toEqual(['_id_', 'mail_1', 'team_1']);
  await User.deleteMany();
  expect(await User.estimatedDocumentCount()).toBe(0);
});

test('two saves of one version conflict', async () => {
  const Note = connection.model('Note', new Schema({ lines: [String] }, { optimisticConcurrency: true }));
  const { _id } = await Note.create({ lines: ['a'] });
  const [first, second] = [await Note.findById(_id).orFail(), await Note.findById(_id).orFail()];
  first.lines.push('b');
  second.lines.push('c');
  await first.save();
  expect((await errorOf(second.save())).name).toBe('VersionError');
});

test('GridFS keeps files', async () => {
  const { GridFSBucket } = (await import('mongoose')).default.mongo;
  const database = connection.db;
  if (!database) throw new Error('not connected');
  const bucket = new GridFSBucket(database);
  const upload = bucket.openUploadStream('file.bin');
  const content = Buffer.alloc(600_000, 'sluice');
  upload.end(content);
  await new Promise((resolve) => upload.on('finish', resolve));
  const parts: Buffer[] = [];
  for await (const part of bucket.openDownloadStreamByName('file.bin')) parts.push(part);
  expect(Buffer.concat(parts).equals(content)).toBe(true);
  await bucket.delete(upload.id);
  expect(await bucket.find().toArray()).toEqual([]);
});
