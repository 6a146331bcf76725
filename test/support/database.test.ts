import { expect, test } from '@jest/globals';
import { databaseUri } from './database.ts';

test.each([
  ['mongodb://h', 'mongodb://h/own'],
  ['mongodb://h:1/?directConnection=true', 'mongodb://h:1/own?directConnection=true'],
  ['mongodb://a:1,b:2,c/app?replicaSet=rs', 'mongodb://a:1,b:2,c/own?replicaSet=rs'],
  ['mongodb://%2Ftmp%2Fdb.sock/app', 'mongodb://%2Ftmp%2Fdb.sock/own'],
  ['mongodb+srv://h.example.org/?w=majority', 'mongodb+srv://h.example.org/own?w=majority'],
])('%s becomes %s', (uri, expected) => {
  expect(databaseUri(uri, 'own')).toBe(expected);
});

test.each([
  ['mongodb://u:p@h', 'mongodb://u:p@h/own?authSource=admin'],
  ['mongodb://u:p@h,i/app?w=1', 'mongodb://u:p@h,i/own?w=1&authSource=app'],
  ['mongodb://u:p@h/app?authSource=users', 'mongodb://u:p@h/own?authSource=users'],
])('the user of %s is still looked for where it was', (uri, expected) => {
  expect(databaseUri(uri, 'own')).toBe(expected);
});
