import type { Fault, Injection } from '@trimtab/test-bed/fault-proxy/faults.ts';
import { randomPlan } from '@trimtab/test-bed/fault-proxy/random-plan.ts';
import { scenarios } from '../scenarios.ts';
import type { Scenario } from '../support/scenario.ts';
import type { Snapshot } from '../support/snapshot.ts';
import { Dice } from './dice.ts';
import { disturb, drawDisturbances } from './disturbances.ts';
import type { DrivenCluster } from './driven-cluster.ts';
import type { ControllerProgram } from './driven-controller.ts';
import { DrivenStage } from './driven-stage.ts';
import { randomScenario } from './random-scenario.ts';
import type { Deed } from './story.ts';

/** The result of one run. */
export interface RunReport {
  seed: number;
  story: string;
  faults: number;
  kills: number;
  freezes: number;
  /** CPU time of the run. */
  coreMs: number;
  /** Undefined when the run passed. */
  failure?: string;
}

export interface RunOptions {
  /** Defaults to the controller of this repository. */
  program?: ControllerProgram;
  /** Only random scenarios that begin with this. */
  deed?: Deed;
}

const resources = [
  'configmaps',
  'secrets',
  'configrollouts',
  'deployments',
  'statefulsets',
  'daemonsets',
  'replicasets',
  'controllerrevisions',
  'pods',
  'leases',
];
/** With slow watches or frozen controllers, a decision may use a state that is older than any bake time. */
const slowMs = 600_000;
const told: Scenario[] = Object.values(scenarios);
const ends = new Map<Scenario, Snapshot>();

/**
 * Runs one scenario with faults, all derived from the seed. A failure of the controller is reported and not thrown.
 */
export async function randomRun(
  cluster: DrivenCluster,
  seed: number,
  { program, deed }: RunOptions = {},
): Promise<RunReport> {
  const { random } = Math;
  const before = process.cpuUsage();
  const dice = new Dice(seed);
  // Backoff jitter is derived from the seed too, so a run can be repeated.
  Math.random = new Dice(seed + 1).draw;
  try {
    const isTold = dice.chance(0.3) && deed === undefined;
    const scenario = isTold ? dice.pick(told) : randomScenario(dice, cluster.clock, deed);
    const end = isTold ? await undisturbedEnd(cluster, scenario) : undefined;
    const report = await disturbedRun(cluster, { seed, dice, scenario, end, program });
    const { user, system } = process.cpuUsage(before);
    return { ...report, coreMs: Math.round((user + system) / 1000) };
  } finally {
    Math.random = random;
  }
}

interface Run {
  seed: number;
  dice: Dice;
  scenario: Scenario;
  end: Snapshot | undefined;
  program: ControllerProgram | undefined;
}

async function disturbedRun(cluster: DrivenCluster, run: Run): Promise<Omit<RunReport, 'coreMs'>> {
  const { seed, dice, scenario, end, program } = run;
  await using stage = await DrivenStage.open(cluster, { seed, ...(program && { program }) });
  const slowness = dice.pick([1, 1, 1, 10, 100]);
  const disturbances = drawDisturbances(dice);
  if (slowness > 1 || disturbances.some(({ how }) => how === 'freeze')) stage.decidesLate(slowMs);
  for (const injection of randomPlan(seed, resources)) stage.proxy.inject(slowed(injection, slowness));
  const over = Promise.withResolvers<void>();
  const disturbing = disturb(stage, cluster.clock, disturbances, over.promise);
  stage.start();
  if (dice.chance(0.2)) stage.start();
  // Watches that fail from the start can split a joint activation twice: at the first versions and at the edit.
  const leeway = 2 * (scenario.extraRevisions ?? 0);
  const outcome = await stage.play(scenario, end, leeway).then(
    ({ violations }) => (violations.length === 0 ? undefined : `${violations.join('\n')}\n${stage.scene()}`),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  over.resolve();
  const { kills, freezes } = await disturbing;
  const faults = stage.proxy.report().reduce((sum, { fired }) => sum + fired.length, 0);
  return {
    seed,
    story: scenario.name,
    faults,
    kills,
    freezes,
    ...(outcome !== undefined && { failure: outcome }),
  };
}

/** Returns the end state of a fixed scenario without faults. */
async function undisturbedEnd(cluster: DrivenCluster, scenario: Scenario): Promise<Snapshot> {
  const known = ends.get(scenario);
  if (known !== undefined) return known;
  await using stage = await DrivenStage.open(cluster);
  stage.start();
  const { snapshot, violations } = await stage.play(scenario);
  if (violations.length > 0) throw new Error(`Undisturbed, too: ${violations.join('; ')}`);
  ends.set(scenario, snapshot);
  return snapshot;
}

/** Returns the same fault with longer delays, which can exceed client timeouts and the Lease duration. */
function slowed({ fault, ...injection }: Injection, by: number): Injection {
  const slow: Fault = { ...fault };
  if ('ms' in slow) slow.ms *= by;
  if ('boundMs' in slow && slow.boundMs !== undefined) slow.boundMs *= by;
  return { ...injection, fault: slow };
}
