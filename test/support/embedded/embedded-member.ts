// A process of its own that opens an embedded database, tells what happens, and does what it is told.
import { openEmbeddedDatabase } from '@campaign-mirror/embedded-postgres';

const tell = (message: object) => process.send?.(message);

function tellFailure(error: unknown): void {
  tell({ failed: error instanceof Error ? error.message : String(error), name: (error as Error).name });
}

try {
  const database = await openEmbeddedDatabase({
    ...JSON.parse(process.argv[2] ?? '{}'),
    onEvent: (event, detail) => tell({ event, detail }),
  });
  process.on('message', (order: 'service' | 'leave') => {
    const done = order === 'service' ? database.becomeService() : database.leave();
    done
      .then(() => tell({ done: order }), tellFailure)
      .then(() => order === 'leave' && process.disconnect?.());
  });
  tell({ done: 'open', address: database.address('superuser') });
} catch (error) {
  tellFailure(error);
  process.disconnect?.();
}
