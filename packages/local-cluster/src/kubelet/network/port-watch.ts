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

/** A program may take long to start; who listens nowhere at all after that needs no advice about ports. */
const looksAfterMs = [10_000, 30_000, 120_000];

/** Finds programs that listen where their manifest says and not on `$PORT`, and says so once. Answers how to end it. */
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
