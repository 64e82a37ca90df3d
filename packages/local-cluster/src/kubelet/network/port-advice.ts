import type { LocalPorts } from '../../objects/local-ports.ts';
import type { Container } from '../../objects/pod.ts';
import type { PodAddress } from '../pod/kubelet-services.ts';
import { containerPorts } from './wanted-ports.ts';

/** What a program says, in whichever language, when it cannot listen: the system's own words are in it. */
const inUse = /EADDRINUSE|address (is )?already in use/i;

/**
 * For a container that has ended; undefined unless it has ended because its port was taken. One that shares the network
 * of the machine wanted that very port.
 */
export function takenPortAdvice(
  container: Container,
  { ip, ports }: PodAddress,
  { hostIP, log }: { hostIP: string; log: string },
): string | undefined {
  if (!inUse.test(log)) return undefined;
  const what = `Container ${container.name} could not listen: its port is in use.`;
  const places = placesText(container, ports);
  if (places !== undefined) return `${what} ${rule(places)}`;
  if (ip === hostIP) return undefined;
  return `${what} Pods are processes of one machine, so a program has to listen on the address of its pod, $POD_IP (${ip}), not on all`;
}

/** For one that runs, when nobody listens where its Services and probes ask, but somebody does where they do not. */
export function unusedPortAdvice(container: Container, port: number, local: number): string {
  return `Nobody listens on port ${local}, where Services and probes ask for port ${port} of container ${container.name}; but somebody listens on port ${port} of this machine. ${rule(`$PORT_${port}, here ${local}`)}`;
}

function rule(places: string): string {
  return `Pods share 127.0.0.1 here, so a program has to listen on the port that it is given: ${places}`;
}

function placesText(container: Container, ports: LocalPorts): string | undefined {
  const texts = containerPorts(container).map(({ port }, index) => {
    const local = ports.get(port);
    return local && `$PORT${index === 0 ? '' : `_${port}`} (${local}), not ${port}`;
  });
  return texts.length > 0 && texts.every(Boolean) ? texts.join('; ') : undefined;
}
