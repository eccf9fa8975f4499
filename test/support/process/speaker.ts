/** Whoever speaks on a standard output and a standard error until they are over. */
export abstract class Speaker {
  output = '';
  errors = '';
  abstract readonly ended: Promise<unknown>;
  #heard: (() => void)[] = [];

  protected abstract isOver(): boolean;

  protected hear(which: 'output' | 'errors', text: string): void {
    this[which] += text;
    for (const wake of this.#heard.splice(0)) wake();
  }

  /** Resolves when it has said so; rejects when it ends without. */
  async says<T>(look: () => T | undefined): Promise<T> {
    for (;;) {
      const isOver = this.isOver();
      if (isOver) await this.ended;
      const seen = look();
      if (seen !== undefined) return seen;
      if (isOver) throw new Error(`it ended before it said so:\n${this.output}\n${this.errors}`);
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }
}
