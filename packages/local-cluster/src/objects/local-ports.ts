import type { ObjectMeta } from '@trimtab/kube/wire.ts';

/** On a Service or a pod: which ports of 127.0.0.1 its own are, `80=8080`. */
export const localPortsAnnotation = 'local-cluster/ports';

/** Port of a Service, or of a pod → port on 127.0.0.1. */
export type LocalPorts = ReadonlyMap<number, number>;

/** What a Service or a pod says of its ports on this machine; nothing where they are what they seem. */
export function localPortsOf({ annotations }: ObjectMeta): LocalPorts {
  return readLocalPorts(annotations?.[localPortsAnnotation]);
}

/** `80=8080,443=443`; whatever else is in it is left out. */
export function readLocalPorts(text = ''): LocalPorts {
  return new Map(
    text.split(',').flatMap((pair): [number, number][] => {
      const match = /^\s*(\d{1,5})=(\d{1,5})\s*$/.exec(pair);
      const [port, local] = [Number(match?.[1]), Number(match?.[2])];
      return isPort(port) && isPort(local) ? [[port, local]] : [];
    }),
  );
}

export function localPortsText(ports: LocalPorts): string {
  return [...ports].map(([port, local]) => `${port}=${local}`).join(',');
}

export function isPort(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= 65_535;
}
