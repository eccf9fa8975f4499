import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Preloaded by every process of a run, those included that tests start: the module that the variable names is loaded with
 * a change.
 */
const { path, at, length, text } = JSON.parse(process.env.SQL_MUTANT ?? '{}');
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.startsWith('file:') || fileURLToPath(url) !== path) return loaded;
    const source = readFileSync(path, 'utf8');
    return { ...loaded, source: source.slice(0, at) + text + source.slice(at + length) };
  },
});
