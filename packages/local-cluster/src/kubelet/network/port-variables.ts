import type { Container, Pod } from '../../objects/pod.ts';
import { containersOf } from '../pod/container-roles.ts';
import type { PodAddress } from '../pod/kubelet-services.ts';
import { containerPorts } from './wanted-ports.ts';

/**
 * Variables that tell a program where to listen. Where pods share an address: `PORT` for the first port of the
 * container, and for each port of the pod `PORT_8080` and, for a named port, `PORT_HTTP`, so that the containers of a
 * pod can reach each other.
 */
export function addressVariables(
  { spec }: Pick<Pod, 'spec'>,
  container: Container,
  { ip, ports }: PodAddress,
): Record<string, string> {
  const found: Record<string, string> = { POD_IP: ip };
  // The container itself comes last because a later entry overrides an earlier one.
  for (const each of [...containersOf(spec).map((one) => one.container), container])
    for (const { port, name } of containerPorts(each)) {
      const local = ports.get(port);
      if (local === undefined) continue;
      found[`PORT_${port}`] = String(local);
      if (name !== undefined) found[`PORT_${name.toUpperCase().replaceAll('-', '_')}`] = String(local);
    }
  const [firstPort] = containerPorts(container);
  const local = firstPort && ports.get(firstPort.port);
  return local === undefined ? found : { ...found, PORT: String(local) };
}

/** Replaces the value of a `PORT` variable that is one of the container's ports with the assigned local port. */
export function withLocalPort(container: Container, { ports }: PodAddress): Container {
  const own = new Set(containerPorts(container).map(({ port }) => String(port)));
  if (ports.size === 0 || container.env === undefined) return container;
  const env = container.env.map((variable) => {
    const { name, value = '' } = variable;
    const local = name === 'PORT' && own.has(value) ? ports.get(Number(value)) : undefined;
    return local === undefined ? variable : { ...variable, value: String(local) };
  });
  return { ...container, env };
}
