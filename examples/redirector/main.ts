import { Pool } from 'pg';
import { redirector } from './redirector.ts';

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 2_000 });
// The next query tells why an idle connection ended.
pool.on('error', () => {});
redirector(pool).listen(Number(process.env.PORT ?? 8080));
