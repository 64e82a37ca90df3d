import type { LocalPorts } from '../../objects/local-ports.ts';
import type { Container } from '../../objects/pod.ts';
import type { PodAddress } from '../pod/kubelet-services.ts';
import { containerPorts } from './wanted-ports.ts';

/** Matches the output of a program that cannot listen. Programs of all languages include the system's error text. */
const inUse = /EADDRINUSE|address (is )?already in use/i;

/**
 * Advice for a container that ended because its port was in use; undefined for other causes. A pod with hostNetwork
 * gets none, because it must use that port.
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
  return `${what} Pods are processes of one machine, so a program must listen on the address of its pod, $POD_IP (${ip}), not on all addresses`;
}

/** Advice for a running container when its assigned port has no listener but the port of its manifest has one. */
export function unusedPortAdvice(container: Container, port: number, local: number): string {
  return `No process listens on port ${local}, to which Services and probes of port ${port} of container ${container.name} connect, but a process listens on port ${port} of this machine. ${rule(`$PORT_${port}, here ${local}`)}`;
}

function rule(places: string): string {
  return `Pods share 127.0.0.1, so a program must listen on its assigned port: ${places}`;
}

function placesText(container: Container, ports: LocalPorts): string | undefined {
  const texts = containerPorts(container).map(({ port }, index) => {
    const local = ports.get(port);
    return local && `$PORT${index === 0 ? '' : `_${port}`} (${local}), not ${port}`;
  });
  return texts.length > 0 && texts.every(Boolean) ? texts.join('; ') : undefined;
}
