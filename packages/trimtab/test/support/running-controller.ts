import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';

/** A started controller, in its own process or in the process of the test. */
export interface RunningController {
  readonly log: string;
  /** State of the controller and the end of its log, for the error of a wait that timed out. */
  describe(): string;
  /** Terminates the controller as SIGTERM does in a rolling update. */
  stop(): Promise<void>;
}

/** Waits until the controller is the leader, its cache is in sync and its reconcilers run. */
export async function reconciles(controller: RunningController): Promise<void> {
  await waitFor('the controller reconciles', async () =>
    controller.log.includes('"msg":"reconcilers started"')
      ? { met: true }
      : { seen: controller.log.slice(-500) },
  );
}
