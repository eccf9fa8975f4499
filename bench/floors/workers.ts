import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';

/** The floor as several processes, by the same means as ours: they share its ten connections. */
const workers = Number(process.env.WORKERS);
cluster.setupPrimary({ exec: fileURLToPath(new URL('./floor.ts', import.meta.url)) });
for (let number = 0; number < workers; number++) {
  cluster.fork({ POOL: String(Math.max(1, Math.floor(10 / workers))) });
}
// With it they end too: Node ends a worker whose primary is gone.
process.once('SIGTERM', () => process.exit());
