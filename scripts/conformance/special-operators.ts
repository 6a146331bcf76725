import { BSON } from 'mongodb';
import { fail, type Place } from './place.ts';
import { RunnerError } from './problems.ts';
import { canonical, isDocument, numericValue, show, typeAliases } from './values.ts';

type Match = (expected: unknown, actual: unknown, place: Place) => void;

/** `match`: by which the operator compares what is within it. */
type Operator = (argument: unknown, actual: unknown, place: Place, match: Match) => void;

/** The bytes that a string of hexadecimal digits denotes. */
export function hexBytes(digits: unknown): Buffer {
  if (typeof digits !== 'string' || !/^([\da-f]{2})*$/i.test(digits)) {
    throw new RunnerError(`${show(digits)} is not a string of hexadecimal bytes.`);
  }
  return Buffer.from(digits, 'hex');
}

/** The assertions that a document with a single key beginning with `$$` stands for. */
export const operators: Record<string, Operator> = {
  $$exists(argument, actual, place) {
    if (argument === true && actual === undefined) fail(place, 'expected to exist');
    if (argument === false && actual !== undefined) fail(place, `expected not to exist, is ${show(actual)}`);
    if (typeof argument !== 'boolean') fail(place, '$$exists takes a boolean');
  },
  $$type(argument, actual, place) {
    const expected = Array.isArray(argument) ? argument : [argument];
    const found = typeAliases(actual);
    if (!found.some((alias) => expected.includes(alias))) {
      fail(place, `expected type ${expected.join(' or ')}, got ${show(actual)}`);
    }
  },
  $$matchesEntity(argument, actual, place, match) {
    match(place.entities.get('value', String(argument)), actual, place);
  },
  $$matchesHexBytes(argument, actual, place) {
    const expected = hexBytes(argument);
    if (!(actual instanceof Uint8Array)) fail(place, `expected bytes, got ${show(actual)}`);
    if (!expected.equals(actual)) {
      fail(place, `expected bytes ${expected.toString('hex')}, got ${Buffer.from(actual).toString('hex')}`);
    }
  },
  $$unsetOrMatches(argument, actual, place, match) {
    if (actual !== undefined) match(argument, actual, place);
  },
  $$sessionLsid(argument, actual, place) {
    const { lsid } = place.entities.get('session', String(argument));
    if (canonical(lsid) !== canonical(actual))
      fail(place, `expected session ${show(lsid)}, got ${show(actual)}`);
  },
  $$lte(argument, actual, place) {
    const limit = numericValue(argument);
    const number = numericValue(actual);
    if (limit === undefined || number === undefined || !(number <= limit)) {
      fail(place, `expected at most ${show(argument)}, got ${show(actual)}`);
    }
  },
  $$matchAsDocument(argument, actual, place, match) {
    if (typeof actual !== 'string') fail(place, `expected Extended JSON, got ${show(actual)}`);
    match(argument, BSON.EJSON.parse(actual, { relaxed: false }), { ...place, root: 'none' });
  },
  $$matchAsRoot(argument, actual, place, match) {
    if (!isDocument(actual)) fail(place, `expected a document, got ${show(actual)}`);
    match(argument, actual, { ...place, root: 'document' });
  },
};
