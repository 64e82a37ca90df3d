import { mulberry32 } from '@trimtab/test-bed/fault-proxy/prng.ts';

/** Everything random of a run comes from here, and all of it from the seed. */
export class Dice {
  readonly draw: () => number;

  constructor(seed: number) {
    this.draw = mulberry32(seed);
  }

  /** Both ends included. */
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
