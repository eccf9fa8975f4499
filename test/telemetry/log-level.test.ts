import { expect } from 'chai';
import { levelToggle, logTo } from '../../packages/app/src/logging/log.ts';
import { linesIn } from '../support/documents/log-schema.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { endAll, type Listening, listeningService } from '../support/process/service-process.ts';

describe('docs/reference/logs.md: the level of the log', () => {
  for (const [configured, other] of [
    ['info', 'debug'],
    ['warn', 'debug'],
    ['silent', 'debug'],
    ['debug', 'info'],
    ['trace', 'info'],
  ] as const) {
    it(`from ${configured} to ${other} and back, and each change is shown`, () => {
      let output = '';
      const log = logTo({ write: (line) => (output += line) }, configured);
      const toggle = levelToggle(log, configured);
      toggle();
      expect(log.level).to.equal(other);
      toggle();
      expect(log.level).to.equal(configured);
      const lines = linesIn(output);
      expect(lines.map(({ event, from, to }) => ({ event, from, to }))).to.deep.equal([
        { event: 'log-level-changed', from: configured, to: other },
        { event: 'log-level-changed', from: other, to: configured },
      ]);
    });
  }

  describe('of a process', () => {
    const data = serviceDataOf('suite');
    afterEach(endAll);

    const settings = (more: object) => ({ ...data.settings(), ...more });
    /** A request to each of both listeners. */
    async function ask({ base, ops }: Listening, name: string): Promise<void> {
      await fetch(base, { headers: { 'X-Request-Id': `callers-${name}` } });
      await fetch(`${ops}/livez`, { headers: { 'X-Request-Id': `operators-${name}` } });
    }

    it('SIGUSR2 shows the lines of all requests, and once more those that were shown before', async () => {
      const listening = await listeningService(settings({}));
      const { process } = listening;
      const changed = (to: string) =>
        process.says(() =>
          process.log.find(({ event, to: now }) => event === 'log-level-changed' && now === to),
        );
      await ask(listening, 'before');
      process.child.kill('SIGUSR2');
      await changed('debug');
      await ask(listening, 'at-debug');
      await process.says(() => process.output.includes('operators-at-debug') || undefined);
      process.child.kill('SIGUSR2');
      await changed('info');
      await ask(listening, 'after');
      expect((await process.stop()).code).to.equal(0);
      const told = process.log.flatMap(({ event, requestId }) => (event === 'request' ? requestId : []));
      expect(told).to.have.members([
        'callers-before',
        'callers-at-debug',
        'operators-at-debug',
        'callers-after',
      ]);
    });
  });
});
