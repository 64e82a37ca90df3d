import type { ObjectMeta } from '@trimtab/kube/wire.ts';

/** Annotation of a Service or Pod that maps its ports to ports of 127.0.0.1: `80=8080`. */
export const localPortsAnnotation = 'local-cluster/ports';

/** Maps a port of a Service or Pod to a port of 127.0.0.1. */
export type LocalPorts = ReadonlyMap<number, number>;

/** The local ports of a Service or Pod, from its annotation; empty when its ports are not mapped. */
export function localPortsOf({ annotations }: ObjectMeta): LocalPorts {
  return readLocalPorts(annotations?.[localPortsAnnotation]);
}

/** Parses `80=8080,443=443`; invalid entries are ignored. */
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
