/** What has to be taken back at the end of the run, however it ends: the last thing first. */
export class Cleanup {
  #steps: (() => Promise<unknown>)[] = [];
  #begun = false;

  get begun(): boolean {
    return this.#begun;
  }

  /**
   * Once the cleaning has begun it is done at once: the run goes on for a moment after Ctrl-C. Returns what to call
   * when there is nothing left to take back.
   */
  add(step: () => Promise<unknown>): () => void {
    this.#steps.push(step);
    if (this.#begun) void this.run();
    return () => {
      this.#steps = this.#steps.filter((one) => one !== step);
    };
  }

  /** Never rejects. What cannot be taken back is said. */
  async run(): Promise<void> {
    this.#begun = true;
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      await step().catch((error) => console.error(`could not clean up: ${error}`));
    }
  }
}
