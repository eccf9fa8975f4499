import { expect } from 'chai';
import { LogOutput, type OutputBounds } from '../../packages/app/src/logging/log-output.ts';

/** Takes what it is given when the test says so. */
class Reader {
  readonly taken: string[] = [];
  readonly last: string[] = [];
  readonly lost: number[] = [];
  readonly refusals: string[] = [];
  readonly output: LogOutput;
  #done: ((error?: Error | null, left?: Buffer) => void) | undefined;
  #given: Buffer = Buffer.alloc(0);
  #onGiven = () => {};

  constructor(bounds: Partial<OutputBounds>) {
    this.output = new LogOutput(
      {
        write: (bytes, done) => {
          this.#given = bytes;
          this.#done = done;
          this.#onGiven();
        },
        writeLast: (bytes) => this.last.push(bytes.toString()),
      },
      {
        onLost: (count) => {
          this.lost.push(count);
          this.output.write(`${count} lost\n`);
        },
        onRefused: ({ message }) => this.refusals.push(message),
      },
      bounds,
    );
  }

  /** Takes one piece. */
  take(): void {
    const done = this.#done;
    this.#done = undefined;
    this.taken.push(this.#given.toString());
    done?.();
  }

  takeAll(): string {
    while (this.#done) this.take();
    return this.taken.join('');
  }

  /** Takes so many bytes and refuses the others; resolves when they are tried again. */
  refuse(bytes: number): Promise<void> {
    this.taken.push(this.#given.subarray(0, bytes).toString());
    const again = new Promise<void>((resolve) => {
      this.#onGiven = resolve;
    });
    this.#done?.(new Error('full'), this.#given.subarray(bytes));
    return again;
  }
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`);

describe('contract: answers — the log on its way out', () => {
  it('what waits goes out in its order, in whole lines, and in pieces of a bounded size', () => {
    const reader = new Reader({ piece: 30 });
    const lines = numbered(10, 30);
    for (const line of lines) reader.output.write(line);
    expect(reader.takeAll()).to.equal(lines.join(''));
    for (const piece of reader.taken) expect(piece).to.match(/^(?:line \d+\n){1,3}$/);
    expect(reader.lost).to.deep.equal([]);
  });

  it('what is longer than a piece goes by itself, and as a whole', () => {
    const reader = new Reader({ piece: 10 });
    reader.output.write('a\n');
    reader.output.write(`${'b'.repeat(50)}\n`);
    reader.output.write('c\n');
    reader.takeAll();
    expect(reader.taken).to.deep.equal(['a\n', `${'b'.repeat(50)}\n`, 'c\n']);
  });

  it('of what is too much to keep every line is counted, and told of as soon as half of it is gone', () => {
    const reader = new Reader({ kept: 80, piece: 8 });
    for (const line of numbered(10, 30)) reader.output.write(line);
    for (let pieces = 0; pieces < 4; pieces++) reader.take();
    expect(reader.lost).to.deep.equal([]);
    reader.take();
    expect(reader.lost).to.deep.equal([10]);
    expect(reader.output.lost, 'in all').to.equal(10);
    expect(reader.takeAll()).to.equal(`${numbered(10, 20).join('')}10 lost\n`);
    for (const line of numbered(30, 45)) reader.output.write(line);
    expect(reader.takeAll()).to.match(/line 39\n5 lost\n$/);
  });

  it('what is refused in the midst of a line goes on there, is told once, and nothing of it is lost', async () => {
    const reader = new Reader({ pause: 1 });
    reader.output.write('one\n');
    reader.output.write('two\n');
    await reader.refuse(2);
    await reader.refuse(1);
    expect(reader.refusals).to.deep.equal(['full']);
    expect(reader.takeAll()).to.equal('one\ntwo\n');
    reader.output.write('three\n');
    await reader.refuse(0);
    expect(reader.refusals).to.deep.equal(['full', 'full']);
    expect(reader.takeAll()).to.equal('one\ntwo\nthree\n');
  });

  it('the end waits until all is taken', async () => {
    const reader = new Reader({});
    reader.output.write('one\n');
    reader.output.write('two\n');
    const end = reader.output.end(60_000);
    expect(reader.takeAll()).to.equal('one\ntwo\n');
    expect(await end).to.equal(0);
    expect(await reader.output.end(60_000)).to.equal(0);
  });

  it('the end waits for a reader that is stuck no longer than it may, and for one that is gone not at all', async () => {
    const stuck = new Reader({ kept: 9 });
    for (const line of ['one\n', 'two\n', 'three\n']) stuck.output.write(line);
    expect(await stuck.output.end(1)).to.equal(3);
    const gone = new Reader({ pause: 60_000 });
    gone.output.write('one\n');
    void gone.refuse(0);
    gone.output.write('two\n');
    expect(await gone.output.end(60_000)).to.equal(2);
  });

  it('in the last moment what waits is handed over at once, but not to one that refuses', () => {
    const reader = new Reader({});
    for (const line of ['one\n', 'two\n', 'three\n']) reader.output.write(line);
    reader.output.writeLast();
    expect(reader.last).to.deep.equal(['two\nthree\n']);
    const gone = new Reader({ pause: 60_000 });
    for (const line of ['one\n', 'two\n']) gone.output.write(line);
    void gone.refuse(0);
    gone.output.writeLast();
    expect(gone.last).to.deep.equal([]);
  });
});
