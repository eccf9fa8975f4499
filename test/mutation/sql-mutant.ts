import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Loaded first by the workers of a run, and by every process that its tests start: the module that the variable names is
 * loaded with a change.
 */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const { path, at, length, text } = JSON.parse(process.env.SQL_MUTANT ?? '{}');
    if (!url.startsWith('file:') || fileURLToPath(url) !== path) return loaded;
    const source = readFileSync(path, 'utf8');
    return { ...loaded, source: source.slice(0, at) + text + source.slice(at + length) };
  },
});
