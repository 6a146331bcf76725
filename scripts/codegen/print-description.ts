// Prints what /openapi.json answers, as the SDL and the REST documents of this tree say it, for `npm run schema:diff`.
import { published } from './published.ts';
import { publicDocument } from './schema.ts';

process.stdout.write(JSON.stringify(published(publicDocument())));
