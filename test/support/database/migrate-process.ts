// A process of its own that migrates the database whose address it is given.
import { migrate } from '@campaign-mirror/adapters-persistence';

await migrate(JSON.parse(process.argv[2] ?? '{}'));
