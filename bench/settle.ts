import { setTimeout as delay } from 'node:timers/promises';

/** Until it uses almost no time for a while: whatever it found to do is done. */
export async function settle(controller: { cpuSeconds(): number }, forSeconds = 1): Promise<void> {
  const looks = forSeconds * 4;
  for (let quiet = 0, last = controller.cpuSeconds(); quiet < looks; ) {
    await delay(250);
    const now = controller.cpuSeconds();
    quiet = now - last < 0.02 ? quiet + 1 : 0;
    last = now;
  }
}
