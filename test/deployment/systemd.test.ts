import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { UnitFile } from '../support/deployment/unit-file.ts';
import { asInstalled, startUnit } from '../support/deployment/unit-sandbox.ts';
import { freePort } from '../support/free-port.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { endAll, type LogLine, type RunningProcess } from '../support/process/service-process.ts';
import { allowedCalls, tracedCalls } from '../support/process/system-calls.ts';
import { program } from '../support/programs.ts';

/** What systemd 252 calls OK; in tenths. */
const exposure = 15;
/** Where the sandbox has it, wherever the project is. */
const installed = '/opt/campaign-mirror/ops/campaign-mirror@.service';

describe('ops/campaign-mirror@.service', () => {
  const unit = new UnitFile();
  const data = serviceDataOf('suite');
  afterEach(endAll);

  async function started(under = ''): Promise<RunningProcess> {
    const file = { PORT: String(await freePort()), OPS_PORT: '0' };
    return startUnit(unit, { url: data.database.url('service'), file, under });
  }
  const callTo = ({ port }: LogLine) => data.one({ base: `http://127.0.0.1:${port}` });
  async function silent(process: RunningProcess): Promise<void> {
    const { code } = await process.ended;
    expect({ code, errors: process.errors }).to.deep.equal({ code: 0, errors: '' });
  }

  it('systemd finds nothing wrong with it', () =>
    silent(asInstalled([program('systemd-analyze'), 'verify', '--recursive-errors=yes', installed])));

  it(`systemd calls its exposure at most ${exposure / 10}`, () =>
    silent(
      asInstalled([
        ...[program('systemd-analyze'), 'security', '--no-pager', '--offline=true'],
        ...[`--threshold=${exposure}`, installed],
      ]),
    ));

  it('it is given more time to stop than the service takes', () => {
    const read = readSettings({ ...unit.environment, DATABASE_URL_FILE: undefined });
    if ('wrong' in read) throw new Error(read.wrong.join('\n'));
    const { SHUTDOWN_DELAY, SHUTDOWN_TIMEOUT } = read.settings;
    const [, seconds] = /^(\d+)s$/.exec(unit.one('TimeoutStopSec')) ?? [];
    expect(Number(seconds) * 1_000).to.be.at.least(SHUTDOWN_DELAY + SHUTDOWN_TIMEOUT + 30_000);
  });

  it('its command serves: as an unprivileged user, on a tree that it cannot write to', async () => {
    const process = await started();
    const listening = await process.event('listening');
    expect((await call(callTo(listening))).status).to.equal(200);
    const status = readFileSync(`/proc/${process.child.pid}/status`, 'utf8');
    expect(status)
      .to.match(/^Uid:\s+65534\s/m)
      .and.to.match(/^CapEff:\s+0+$/m);
    expect(await process.stop('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    expect(`${process.output}${process.errors}`).not.to.include(data.database.url('service'));
  });

  it('what it asks of the kernel is what its filters let through', async () => {
    const process = await started(`${program('strace')} --daemonize --follow-forks --quiet=all`);
    const listening = await process.event('listening');
    expect((await call(callTo(listening))).status).to.equal(200);
    expect((await process.stop('SIGTERM')).code).to.equal(0);
    const { calls: made, families } = tracedCalls(process.errors);
    expect([...made]).to.include.members(['execve', 'accept4', 'mmap', 'epoll_pwait']);
    const allowed = allowedCalls(unit.all('SystemCallFilter'));
    expect([...made].filter((one) => !allowed.has(one))).to.deep.equal([]);
    expect(unit.one('RestrictAddressFamilies').split(' ')).to.include.members([...families]);
  });

  it('Restart= brings the service up again, whatever it ended with', () => {
    expect(unit.one('Restart')).to.equal('always');
  });
});
