import { serve } from './koa-app.ts';
import { answer } from './pg.ts';

/** Koa and pg. */
serve(answer);
