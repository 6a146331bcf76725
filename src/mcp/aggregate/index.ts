export { type AggregateRecord, aggregateOf, isAggregate, resolved } from './record.ts';
