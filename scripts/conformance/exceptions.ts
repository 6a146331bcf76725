/** A test that is known to fail, and whose doing that is: the driver's, on any server, or the embedded store's. */
export type Exception = { file: string; description: string; reason: string; owner: 'driver' | 'store' };

const ofDriver = (file: string, reason: string, descriptions: string[]): Exception[] =>
  descriptions.map((description) => ({ file, description, reason, owner: 'driver' }));

/** The tests that are known to fail. One that passes must not be here. */
export const exceptions: Exception[] = [
  ...ofDriver('create-null-ids.json', 'The driver replaces `_id: null` by an ObjectId.', [
    'inserting _id with type null via insertOne',
    'inserting _id with type null via insertMany',
    'inserting _id with type null via bulkWrite',
    'inserting _id with type null via clientBulkWrite',
  ]),
  ...ofDriver('bypassDocumentValidation.json', 'The driver sends the option only when it is true.', [
    'Aggregate with $out passes bypassDocumentValidation: false',
    'BulkWrite passes bypassDocumentValidation: false',
    'FindOneAndReplace passes bypassDocumentValidation: false',
    'FindOneAndUpdate passes bypassDocumentValidation: false',
    'InsertMany passes bypassDocumentValidation: false',
  ]),
  ...ofDriver('client-bulkWrite-partialResults.json', 'The driver always sets a partial result.', [
    'partialResult is unset when first operation fails during an ordered bulk write (verbose)',
    'partialResult is unset when first operation fails during an ordered bulk write (summary)',
    'partialResult is unset when all operations fail during an unordered bulk write',
  ]),
  {
    file: 'bulkWrite-collation.json',
    description: 'BulkWrite with update operations and collation',
    reason: 'The store refuses collations of strength 3 (code 72): it has no order of a locale.',
    owner: 'store',
  },
  {
    file: 'estimatedDocumentCount.json',
    description: 'estimatedDocumentCount works correctly on views',
    reason: 'The store refuses views (code 238).',
    owner: 'store',
  },
];
