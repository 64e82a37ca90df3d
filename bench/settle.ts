import { setTimeout as delay } from 'node:timers/promises';

/** Waits until the controller uses almost no CPU time for `forSeconds`, which means that its queues are empty. */
export async function settle(controller: { cpuSeconds(): number }, forSeconds = 1): Promise<void> {
  const reconciliations = forSeconds * 4;
  for (let quiet = 0, last = controller.cpuSeconds(); quiet < reconciliations; ) {
    await delay(250);
    const now = controller.cpuSeconds();
    quiet = now - last < 0.02 ? quiet + 1 : 0;
    last = now;
  }
}
