import type { Document, MongoClient } from 'mongodb';
import { RunnerError } from './problems.ts';

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

/** Of which kind an event is, by the format's name of it; absent for one that the format does not know. */
export const kindOf = (name: string) => kinds.find((kind) => Object.hasOwn(eventNames[kind], name));

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
