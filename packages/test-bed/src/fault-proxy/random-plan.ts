import type { Fault, Injection } from './faults.ts';
import { mulberry32 } from './prng.ts';

type Choice = (draw: () => number) => Fault;

const whole = (draw: () => number, from: number, to: number) => from + Math.floor(draw() * (to - from + 1));

const faultsOfRequests: Choice[] = [
  () => ({ kind: 'status', code: 500 }),
  () => ({ kind: 'status', code: 503 }),
  () => ({ kind: 'status', code: 429, retryAfterSeconds: 1 }),
  () => ({ kind: 'status', code: 429, retryAfterSeconds: 1, plain: true }),
  (draw) => ({ kind: 'delay', ms: whole(draw, 5, 200) }),
  () => ({ kind: 'fail-before' }),
];

const faultsOfWrites: Choice[] = [
  ...faultsOfRequests,
  () => ({ kind: 'status', code: 409 }),
  () => ({ kind: 'fail-after' }),
];

const faultsOfWatches: Choice[] = [...faultsOfRequests, () => ({ kind: 'status', code: 410 })];

/** Silent drops are excluded: only a periodic relist repairs them, and a test run ends long before that. */
const faultsOfEvents: Choice[] = [
  (draw) => ({ kind: 'delay-event', ms: whole(draw, 5, 300) }),
  () => ({ kind: 'drop-event', thenCut: true }),
  () => ({ kind: 'repeat-event' }),
  () => ({ kind: 'reorder-event' }),
  (draw) => ({ kind: 'cut-watch', midLine: draw() < 0.5 }),
  () => ({ kind: 'end-watch' }),
  () => ({ kind: 'expire-watch' }),
  (draw) => ({ kind: 'stall-watch', boundMs: whole(draw, 50, 500) }),
];

/**
 * Faults for a randomised run: one of each sort per resource, derived from the seed. Each fires a limited number of
 * times, which lets the system under test settle.
 */
export function randomPlan(seed: number, resources: readonly string[]): Injection[] {
  const draw = mulberry32(seed);
  const pick = (choices: Choice[]): Fault => {
    const choice = choices[whole(draw, 0, choices.length - 1)] ?? faultsOfRequests[0];
    if (!choice) throw new RangeError('no faults to choose from');
    return choice(draw);
  };
  const sorts = [
    { verb: 'list', choices: faultsOfRequests },
    { verb: 'watch', choices: faultsOfWatches },
    { verb: 'write', choices: faultsOfWrites },
    { verb: undefined, choices: faultsOfEvents },
    { verb: undefined, choices: faultsOfEvents },
  ] as const;
  return resources.flatMap((resource) =>
    sorts.map(
      ({ verb, choices }): Injection => ({
        when: {
          resource,
          ...(verb === undefined ? {} : { verb }),
          nth: whole(draw, 1, 4),
          probability: 0.2 + draw() * 0.6,
        },
        fault: pick(choices),
        times: whole(draw, 1, 3),
      }),
    ),
  );
}
