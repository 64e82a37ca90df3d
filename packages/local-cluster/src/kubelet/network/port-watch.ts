import type { Clock } from '@trimtab/kube/clock.ts';
import type { LocalPorts } from '../../objects/local-ports.ts';
import type { Container } from '../../objects/pod.ts';
import { answers } from './local-port.ts';
import { unusedPortAdvice } from './port-advice.ts';

interface PortWatchOptions {
  clock: Clock;
  container: Container;
  ports: LocalPorts;
  tell(message: string): void;
  answersAt?: (port: number) => Promise<boolean>;
}

/** Times of the checks after the start. A program without a listener after the last check needs no advice on ports. */
const looksAfterMs = [10_000, 30_000, 120_000];

/**
 * Detects programs that listen on the port of their manifest instead of `$PORT`, and reports each port once. Returns a
 * function that ends the checks.
 */
export function watchPorts(options: PortWatchOptions): () => void {
  const { clock, container, ports, tell, answersAt = answers } = options;
  const open = new Map(
    (container.ports ?? []).flatMap(({ containerPort, protocol = 'TCP' }): [number, number][] => {
      const local = ports.get(containerPort);
      return local === undefined || protocol !== 'TCP' ? [] : [[containerPort, local]];
    }),
  );
  let isOver = false;
  const cancels = looksAfterMs.map((ms) => (open.size === 0 ? () => {} : clock.after(ms, () => void look())));
  return () => {
    isOver = true;
    for (const cancel of cancels) cancel();
  };

  async function look(): Promise<void> {
    for (const [port, local] of open) {
      const isUsed = await answersAt(local);
      if (!isUsed && !(await answersAt(port))) continue;
      open.delete(port);
      if (!isUsed && !isOver) tell(unusedPortAdvice(container, port, local));
    }
  }
}
