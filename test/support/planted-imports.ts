const domain = 'packages/domain/src/planted.ts';
const http = 'packages/adapters-http/src/planted.ts';
const persistence = 'packages/adapters-persistence/src/planted.ts';
const app = 'packages/app/src/planted.ts';

const httpMay =
  '@campaign-mirror/adapters-http may import node:*, @campaign-mirror/domain, koa, @koa/router, koa-bodyparser, valibot, @valibot/to-json-schema, swagger-ui-dist';
const persistenceMay =
  '@campaign-mirror/adapters-persistence may import node:*, @campaign-mirror/domain, @mikro-orm/core, @mikro-orm/migrations, @mikro-orm/postgresql, lru-cache, pg-copy-streams, types of pg';
const domainMay = '@campaign-mirror/domain may import its own files only';
const environment = 'packages/app alone reads the environment';
const noPlatform =
  'nothing of the platform but URL in packages/domain/src/url.ts, nor a way round the compiler';

/** Violations: the file, what it holds, and what is found at which of its lines. */
export const planted: readonly (readonly [path: string, text: string, line: number, found: string])[] = [
  [domain, "\nimport { readFile } from 'node:fs';", 2, `imports node:fs: ${domainMay}`],
  [domain, "import { readFile } from 'fs';", 1, 'imports fs: it is called node:fs'],
  [domain, "import type { Server } from 'node:http';", 1, `imports node:http: ${domainMay}`],
  [domain, "type Server = import('node:http').Server;", 1, `imports node:http: ${domainMay}`],
  [domain, "export * from 'node:url';", 1, `imports node:url: ${domainMay}`],
  [domain, "export type { Url } from 'node:url';", 1, `imports node:url: ${domainMay}`],
  [domain, "\n\nawait import('node:fs');", 3, `imports node:fs: ${domainMay}`],
  [domain, 'await import(`node:fs`);', 1, `imports node:fs: ${domainMay}`],
  [domain, "require('node:fs');", 1, `imports node:fs: ${domainMay}`],
  [domain, "import fs = require('node:fs');", 1, `imports node:fs: ${domainMay}`],
  [
    domain,
    "import { campaignId } from '@campaign-mirror/domain';",
    1,
    'imports @campaign-mirror/domain: its own files are imported by their paths',
  ],
  [domain, "import './absent.ts';", 1, 'imports ./absent.ts: there is no packages/domain/src/absent.ts'],
  [domain, "import './campaign';", 1, 'imports ./campaign: there is no packages/domain/src/campaign'],
  [domain, 'import.meta.url;', 1, `uses import.meta: ${noPlatform}`],
  [domain, 'declare const URL: unknown;', 1, `uses URL: ${noPlatform}`],
  [domain, 'declare const process: { env: object };', 1, `uses process: ${noPlatform}`],
  [domain, 'declare function fetch(url: string): unknown;', 1, `uses fetch: ${noPlatform}`],
  [domain, 'declare global {\n  var console: unknown;\n}', 1, `uses global: ${noPlatform}`],
  [domain, '// @ts-ignore\nfetch();', 1, `uses @ts-ignore: ${noPlatform}`],
  [domain, '/// <reference types="node" />', 1, `uses / <reference types="node" />: ${noPlatform}`],
  [domain, "new Function('return 1');", 1, `uses Function: ${noPlatform}`],
  [domain, "eval('1');", 1, `uses eval: ${noPlatform}`],
  [domain, '(globalThis as any).console;', 1, 'uses globalThis: globals are used by their names'],
  [
    'packages/domain/src/url.ts',
    'declare const URL: unknown; declare const Blob: unknown; export const parseUrl = 1;',
    1,
    `uses Blob: ${noPlatform}`,
  ],

  [http, "import { inject } from 'inversify';", 1, `imports inversify: ${httpMay}`],
  [http, "import 'reflect-metadata';", 1, `imports reflect-metadata: ${httpMay}`],
  [http, "import type { Pool } from 'pg';", 1, `imports pg: ${httpMay}`],
  [http, "import '@mikro-orm/core';", 1, `imports @mikro-orm/core: ${httpMay}`],
  [
    http,
    "import type { Statements } from '@campaign-mirror/adapters-persistence';",
    1,
    `imports @campaign-mirror/adapters-persistence: ${httpMay}`,
  ],
  [http, "import '@campaign-mirror/app';", 1, `imports @campaign-mirror/app: ${httpMay}`],
  [http, "import '@campaign-mirror/test';", 1, `imports @campaign-mirror/test: ${httpMay}`],
  [
    http,
    "import '../../domain/src/index.ts';",
    1,
    'imports ../../domain/src/index.ts: out of packages/adapters-http/src; a package is imported by its name',
  ],
  [
    http,
    "import '@campaign-mirror/domain/src/campaign.ts';",
    1,
    'imports @campaign-mirror/domain/src/campaign.ts: @campaign-mirror/domain is imported by its name, not by a path into it',
  ],
  [
    http,
    "import 'koa/lib/context.js';",
    1,
    'imports koa/lib/context.js: koa is imported by its name, not by a path into it',
  ],
  [
    http,
    'const name = "koa"; await import(name);',
    1,
    'computes what import() takes: only a literal is allowed',
  ],
  [http, "require('k' + 1);", 1, 'computes what require takes: only a literal is allowed'],
  [
    http,
    "import { createRequire as make } from 'node:module';\nconst load = make(import.meta.url);\nload.resolve('pg');",
    3,
    `imports pg: ${httpMay}`,
  ],
  [http, "import module from 'node:module';\nmodule.createRequire('/')('pg');", 2, `imports pg: ${httpMay}`],
  [http, '\nprocess.env.PORT;', 2, `uses process.env: ${environment}`],
  [http, "process['env'];", 1, `uses process.env: ${environment}`],
  [http, 'const { env } = process;', 1, `uses process.env: ${environment}`],
  [http, 'const { env: { PORT } } = process;', 1, `uses process.env: ${environment}`],
  [http, 'const ours = { process };', 1, `uses process.env: ${environment}`],
  [http, "import { env } from 'node:process';", 1, `imports node:process: ${environment}`],
  [http, "process.getBuiltinModule('node:process');", 1, `uses process.env: ${environment}`],
  [http, 'globalThis.process.env;', 1, 'uses globalThis: globals are used by their names'],

  [persistence, "import { Pool } from 'pg';", 1, 'imports pg: by `import type` only'],
  [persistence, "import { type Pool } from 'pg';", 1, 'imports pg: by `import type` only'],
  [persistence, "import 'koa';", 1, `imports koa: ${persistenceMay}`],
  [
    persistence,
    "import '@campaign-mirror/adapters-http';",
    1,
    `imports @campaign-mirror/adapters-http: ${persistenceMay}`,
  ],

  [
    app,
    "import '@campaign-mirror/test';",
    1,
    'imports @campaign-mirror/test: @campaign-mirror/app may import node:*, any package but @campaign-mirror/test',
  ],
  [app, "import 'koa';", 1, 'imports koa: not among the dependencies in packages/app/package.json'],
  [app, "import '#tokens';", 1, 'imports #tokens: not among the dependencies in packages/app/package.json'],
  [app, 'await import(String(1));', 1, 'computes what import() takes: only a literal is allowed'],
];
