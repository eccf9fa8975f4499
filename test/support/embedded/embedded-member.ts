// A process of its own that opens an embedded database, and says so or why not.
import { openEmbeddedDatabase } from '@campaign-mirror/embedded-postgres';

try {
  const database = await openEmbeddedDatabase(JSON.parse(process.argv[2] ?? '{}'));
  process.on('message', () => database.close().then(() => process.disconnect?.()));
  process.send?.({ address: database.address('superuser') });
} catch (error) {
  const { name, message } = error as Error;
  process.send?.({ name, failed: message });
  process.disconnect?.();
}
