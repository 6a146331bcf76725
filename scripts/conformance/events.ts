import type { Document, MongoClient } from 'mongodb';
import type { EntityMap } from './entity-map.ts';
import { match, type Place } from './matching.ts';
import { Mismatch, RunnerError } from './problems.ts';
import type { ExpectedEvents } from './suite.ts';

/** The format's names of events, by kind, and the driver's. */
const eventNames = {
  command: {
    commandStartedEvent: 'commandStarted',
    commandSucceededEvent: 'commandSucceeded',
    commandFailedEvent: 'commandFailed',
  },
  cmap: {
    poolCreatedEvent: 'connectionPoolCreated',
    poolReadyEvent: 'connectionPoolReady',
    poolClearedEvent: 'connectionPoolCleared',
    poolClosedEvent: 'connectionPoolClosed',
    connectionCreatedEvent: 'connectionCreated',
    connectionReadyEvent: 'connectionReady',
    connectionClosedEvent: 'connectionClosed',
    connectionCheckOutStartedEvent: 'connectionCheckOutStarted',
    connectionCheckOutFailedEvent: 'connectionCheckOutFailed',
    connectionCheckedOutEvent: 'connectionCheckedOut',
    connectionCheckedInEvent: 'connectionCheckedIn',
  },
  sdam: {
    serverDescriptionChangedEvent: 'serverDescriptionChanged',
    serverHeartbeatStartedEvent: 'serverHeartbeatStarted',
    serverHeartbeatSucceededEvent: 'serverHeartbeatSucceeded',
    serverHeartbeatFailedEvent: 'serverHeartbeatFailed',
    topologyDescriptionChangedEvent: 'topologyDescriptionChanged',
  },
} as const;

type Kind = keyof typeof eventNames;
const kinds = Object.keys(eventNames) as Kind[];

const kindOf = (name: string) => kinds.find((kind) => Object.hasOwn(eventNames[kind], name));

/** Commands whose content drivers hide, because it may hold credentials. */
const sensitiveCommands = [
  'authenticate',
  'saslStart',
  'saslContinue',
  'getnonce',
  'createUser',
  'updateUser',
  'copydbgetnonce',
  'copydbsaslstart',
  'copydb',
];

export type ObservedEvent = { name: string; event: Document };

/** What a client published of the events that its definition asks for. */
export class EventLog {
  readonly observed: ObservedEvent[] = [];
  checkedOut = 0;
  #isOpen = true;

  constructor(client: MongoClient, definition: Document) {
    const { observeEvents = [], ignoreCommandMonitoringEvents = [], observeSensitiveCommands } = definition;
    const ignored = new Set([
      'configureFailPoint',
      ...ignoreCommandMonitoringEvents,
      ...(observeSensitiveCommands ? [] : sensitiveCommands),
    ]);
    for (const name of observeEvents as string[]) {
      const kind = kindOf(name);
      if (!kind) throw new RunnerError(`Unknown event: ${name}.`);
      const driverName = (eventNames[kind] as Record<string, string>)[name] as 'commandStarted';
      client.on(driverName, (event: Document) => {
        if (this.#isOpen && !ignored.has(event.commandName)) this.observed.push({ name, event });
      });
    }
    client.on('connectionCheckedOut', () => this.checkedOut++);
    client.on('connectionCheckedIn', () => this.checkedOut--);
  }

  /** Stops listening, so that what the end of a test does is no part of it. */
  close(): void {
    this.#isOpen = false;
  }
}

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
