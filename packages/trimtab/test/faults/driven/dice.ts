import { mulberry32 } from '@trimtab/test-bed/fault-proxy/prng.ts';

/** The source of all random decisions of a run, derived from the seed. */
export class Dice {
  readonly draw: () => number;

  constructor(seed: number) {
    this.draw = mulberry32(seed);
  }

  /** Returns an integer between `from` and `to`, inclusive. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.draw() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.draw() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.whole(0, choices.length - 1)];
    if (choice === undefined) throw new RangeError('nothing to choose from');
    return choice;
  }
}
