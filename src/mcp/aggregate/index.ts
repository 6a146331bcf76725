export { sharedName } from './names.ts';
export { type AggregateRecord, aggregateOf, isAggregate, isOffered, resolved } from './record.ts';
