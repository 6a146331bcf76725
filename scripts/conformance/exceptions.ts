export type Exception = { file: string; description: string; reason: string };

const several = (file: string, reason: string, descriptions: string[]): Exception[] =>
  descriptions.map((description) => ({ file, description, reason }));

/** Tests that fail for a reason outside the embedded store, or deliberately. A test that passes must not be here. */
export const exceptions: Exception[] = [
  ...several('create-null-ids.json', 'The driver replaces `_id: null` by an ObjectId.', [
    'inserting _id with type null via insertOne',
    'inserting _id with type null via insertMany',
    'inserting _id with type null via bulkWrite',
    'inserting _id with type null via clientBulkWrite',
  ]),
  ...several('bypassDocumentValidation.json', 'The driver sends the option only when it is true.', [
    'Aggregate with $out passes bypassDocumentValidation: false',
    'BulkWrite passes bypassDocumentValidation: false',
    'FindOneAndReplace passes bypassDocumentValidation: false',
    'FindOneAndUpdate passes bypassDocumentValidation: false',
    'InsertMany passes bypassDocumentValidation: false',
  ]),
  ...several('client-bulkWrite-partialResults.json', 'The driver always sets a partial result.', [
    'partialResult is unset when first operation fails during an ordered bulk write (verbose)',
    'partialResult is unset when first operation fails during an ordered bulk write (summary)',
    'partialResult is unset when all operations fail during an unordered bulk write',
  ]),
];
