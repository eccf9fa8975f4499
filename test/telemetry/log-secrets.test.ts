import { once } from 'node:events';
import { glob, readFile } from 'node:fs/promises';
import { roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { logEvents } from '../../packages/app/src/logging/log-events.ts';
import { call } from '../support/http/caller.ts';
import { dataFolderOf, serviceDataOf } from '../support/process/lives.ts';
import {
  demonstration,
  type Listening,
  type LogLine,
  listeningService,
} from '../support/process/service-process.ts';
import { marked, unknownKey } from '../support/secrets.ts';
import { projectFolder } from '../support/workspace.ts';
import { requestsWith, send, steering } from './hostile-requests.ts';

const secrets = [marked, unknownKey, `cm_${marked}`, `Bearer ${unknownKey}`];

/** Wherever a caller can put a text, on both listeners. */
async function sendEverywhere({ base, ops }: Listening, key: string, texts: readonly string[]) {
  for (const listener of [base, ops])
    for (const text of texts)
      await Promise.all(requestsWith(text, key).map((bytes) => send(Number(new URL(listener).port), bytes)));
}

function expectNone(texts: readonly string[], hidden: readonly string[]): void {
  for (const secret of hidden)
    for (const text of texts) {
      const at = text.indexOf(secret);
      expect(text.slice(Math.max(0, at - 300), at + 100), `${secret} in`).not.to.include(secret);
    }
}

/** As docs/reference/logs.md says. */
function expectSchema(log: readonly LogLine[]): void {
  for (const line of log) {
    expect(line).to.include.all.keys('level', 'time', 'pid', 'event', 'msg');
    expect(logEvents).to.have.property(String(line.event));
  }
}

describe('docs/reference/logs.md: no secret reaches an output, and no line is forged', () => {
  const data = serviceDataOf('test');
  const folder = dataFolderOf('suite');

  it('not by requests, whatever steers a terminal, faults of the database that quote, its end, or an uncaught error', async () => {
    const { admin, name } = data.database;
    await admin.query(`
      alter table campaign_mirror.mirrors add constraint chosen check (target_url not like '%CHECKED%');
      create function campaign_mirror.quoting() returns trigger language plpgsql as
        $$ begin raise exception 'not %', new.target_url; end $$;
      create trigger quoting before update on campaign_mirror.mirrors for each row
        when (new.target_url like '%RAISED%') execute function campaign_mirror.quoting()`);
    const NODE_OPTIONS = `--import=${projectFolder}test/telemetry/uncaught-error.ts`;
    const service = await listeningService(
      data.settings({ LOG_LEVEL: 'trace', NODE_OPTIONS, TRUSTED_PROXIES: '127.0.0.1' }),
    );
    const { process } = service;
    await sendEverywhere(service, data.key, [...secrets, ...Object.values(steering)]);
    const set = async (requestId: string) => {
      const address = `https://a.example/${requestId}?${marked}`;
      return (await call(data.one(service, { address, requestId }))).status;
    };
    expect([await set('good'), await set('CHECKED'), await set('RAISED')]).to.deep.equal([200, 500, 500]);
    await admin.query(`alter database ${name} connection limit 0`);
    await admin.query(
      'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and usename = $1',
      [roles.service],
    );
    expect(await set('away')).to.equal(503);
    await admin.query(`alter database ${name} connection limit -1`);
    await process.event('unavailable');
    process.child.kill('SIGCONT');
    await process.event('failed');
    expect((await process.ended).code).to.equal(1);

    const keys = [unknownKey, data.key].flatMap((key) => [key, key.slice(3, 20)]);
    const password = `${data.database.address('service').password}`;
    // Dots are what hides a secret.
    expect(process.output).to.match(/^[\n\u0020-\u007e…]+$/);
    expectNone([process.output, process.errors], [marked, ...keys, password]);
    expectSchema(process.log);
    for (const id of ['CHECKED', 'RAISED']) {
      const lines = process.log.filter(({ requestId }) => requestId === id);
      expect(lines.map(({ event }) => event)).to.have.members(['unexpected', 'request']);
    }
  });

  it('with the embedded database: nor a file where it does not belong', async () => {
    const service = await listeningService({ DATA_DIR: folder.path, LOG_LEVEL: 'trace', DEMO: 'on' });
    const { process } = service;
    const { campaign, key } = await demonstration(process);
    await sendEverywhere(service, key, secrets);
    const address = 'https://stored.example/STORED-ADDRESS';
    const stored = await call({ base: service.base, campaign, key, address });
    expect(stored.status).to.equal(200);
    const commandLine = await readFile(
      `/proc/${(await process.event('database-started')).processId}/cmdline`,
      'utf8',
    );
    const passwordsFile = `${folder.path}/cluster/passwords.json`;
    const passwords: string[] = Object.values(JSON.parse(await readFile(passwordsFile, 'utf8')));
    expect(passwords).to.have.length(5);
    process.child.kill('SIGTERM');
    await once(process.child, 'close');

    const files: string[] = [];
    const logs: string[] = [];
    for await (const entry of glob('**', { cwd: folder.path, withFileTypes: true })) {
      if (!entry.isFile() || entry.name === 'passwords.json') continue;
      const text = await readFile(`${entry.parentPath}/${entry.name}`, 'latin1');
      files.push(text);
      if (entry.name === 'postgresql.log') logs.push(text);
    }
    expect(files).to.have.length.above(500);
    expect(logs).not.to.deep.equal([]);
    // What newcomers are shown has the key.
    const log = process.output.replaceAll(/^[^{].*\n/gm, '');
    const outputs = [log, process.errors, ...logs];
    expectNone([...outputs, ...files, commandLine], [marked, unknownKey, ...passwords, key]);
    expectNone(outputs, ['STORED-ADDRESS', key.slice(3, 20)]);
    expectSchema(process.log);
  });
});
