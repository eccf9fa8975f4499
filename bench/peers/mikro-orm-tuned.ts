import { MikroORM } from '@mikro-orm/postgresql';
import { serve } from './koa-app.ts';
import { answerFrom } from './pg.ts';

/** Koa, and MikroORM where speed counts: named statements on its own pool, past the unit of work. */
const orm = await MikroORM.init({
  entities: [],
  discovery: { warnWhenNoEntities: false },
  clientUrl: process.env.DATABASE_URL ?? '',
  pool: { max: 10 },
});
const pool = await orm.em.getDriver().getConnection().getNativeClient();

serve((...request) => answerFrom(pool, ...request));
