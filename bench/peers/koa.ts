import pg from 'pg';
import { serve } from './koa-app.ts';
import { answerFrom } from './pg.ts';

/** Koa and pg. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

serve((...request) => answerFrom(pool, ...request));
