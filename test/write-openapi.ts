import { writeDocument } from './support/openapi-file.ts';
import { writeTypes } from './support/openapi-types-file.ts';

await writeDocument();
await writeTypes();
