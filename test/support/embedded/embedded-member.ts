// A process of its own that opens an embedded database.
import { openEmbeddedDatabase } from '@campaign-mirror/embedded-postgres';

await openEmbeddedDatabase(JSON.parse(process.argv[2] ?? '{}'));
