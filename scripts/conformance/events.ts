import type { Document } from 'mongodb';
import type { EntityMap } from './entity-map.ts';
import { kindOf, type ObservedEvent } from './event-log.ts';
import { match } from './matching.ts';
import type { Place } from './place.ts';
import { Mismatch } from './problems.ts';
import type { ExpectedEvents } from './suite.ts';

/** Assertions of an expected event that are about the event rather than a field of that name. */
const derivedFields: Record<string, (event: Document) => unknown> = {
  hasServiceId: ({ serviceId }) => Boolean(serviceId),
  hasServerConnectionId: ({ serverConnectionId }) => serverConnectionId > 0,
};

/** Asserts that one observed event is the expected one. */
export function matchEvent(expected: Document, { name, event }: ObservedEvent, place: Place): void {
  const [expectedName = ''] = Object.keys(expected);
  if (expectedName !== name) throw new Mismatch(`${place.path}: expected ${expectedName}, got ${name}`);
  for (const [field, value] of Object.entries(expected[expectedName] as Document)) {
    const derive = derivedFields[field];
    const actual = derive ? derive(event) : event[field];
    match(value, actual, { ...place, path: `${place.path}.${field}`, root: 'document' });
  }
}

const summary = ({ name, event }: ObservedEvent) => event.commandName ?? name;

/** Asserts that a client published the expected events in their order. */
export function matchEvents(expected: ExpectedEvents, entities: EntityMap): void {
  const { client, eventType = 'command', events, ignoreExtraEvents = false } = expected;
  const observed = entities
    .get('client', client)
    .events.observed.filter(({ name }) => kindOf(name) === eventType);
  for (const [index, event] of events.entries()) {
    const actual = observed[index];
    const path = `events[${index}]`;
    if (!actual) throw new Mismatch(`${path}: expected ${Object.keys(event)}, there is none`);
    matchEvent(event, actual, { path, root: 'document', entities });
  }
  const extra = observed.slice(events.length);
  if (extra.length > 0 && !ignoreExtraEvents) {
    throw new Mismatch(`events: more than expected: ${extra.map(summary).join(', ')}`);
  }
}
