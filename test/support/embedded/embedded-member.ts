// A process of its own that opens an embedded database, or says why it cannot.
import { openEmbeddedDatabase } from '@campaign-mirror/embedded-postgres';

try {
  await openEmbeddedDatabase(JSON.parse(process.argv[2] ?? '{}'));
} catch (error) {
  const { name, message } = error as Error;
  process.send?.({ name, failed: message });
  process.disconnect?.();
}
