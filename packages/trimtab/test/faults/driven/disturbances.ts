import type { Clock } from '@trimtab/kube/clock.ts';
import type { Dice } from './dice.ts';
import type { DrivenStage } from './driven-stage.ts';

/** A fault of the controllers during one of their writes. */
interface Disturbance {
  /** Number of the write, counted from the previous disturbance. */
  nth: number;
  at: 'before' | 'after';
  how: 'kill' | 'freeze';
  /** Duration of a freeze, which may exceed the Lease duration. */
  ms: number;
}

export interface Disturbed {
  kills: number;
  freezes: number;
}

export function drawDisturbances(dice: Dice): Disturbance[] {
  return Array.from({ length: dice.whole(0, 3) }, () => ({
    nth: dice.whole(1, 20),
    at: dice.pick(['before', 'after'] as const),
    how: dice.chance(0.7) ? 'kill' : 'freeze',
    ms: dice.whole(1_000, 80_000),
  }));
}

/** Applies the disturbances in sequence. When `over` resolves, the remaining ones are skipped. */
export async function disturb(
  stage: DrivenStage,
  clock: Clock,
  disturbances: readonly Disturbance[],
  over: Promise<void>,
): Promise<Disturbed> {
  const done = { kills: 0, freezes: 0 };
  for (const { nth, at, how, ms } of disturbances) {
    const fault = { kind: 'stall', at, boundMs: 600_000 } as const;
    const stall = stage.proxy.inject({ when: { site: '*', nth }, fault });
    const isMet = await Promise.race([stall.fired.then(() => true), over.then(() => false)]);
    if (!isMet) {
      stall.retire();
      return done;
    }
    const victims = [...stage.running];
    if (how === 'kill') {
      stage.kill(...victims);
      for (const _ of victims) stage.start();
      done.kills += 1;
    } else {
      for (const victim of victims) victim.freeze();
      stage.start();
      clock.after(ms, () => {
        for (const victim of victims) victim.thaw();
        stage.proxy.release();
      });
      done.freezes += 1;
    }
  }
  return done;
}
