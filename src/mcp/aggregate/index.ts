export { sharedName } from './names.ts';
export { type AggregateRecord, aggregateOf, isAggregate, resolved } from './record.ts';
