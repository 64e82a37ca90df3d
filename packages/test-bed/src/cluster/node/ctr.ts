import { type Bed, containersOf } from '../bed.ts';
import { findProgram } from '../prerequisites.ts';

/** The command line of containerd's client, in the containerd namespace that the kubelet uses. */
export function ctr(bed: Bed, ...words: string[]): string[] {
  return [
    findProgram('ctr') ?? 'ctr',
    '--address',
    containersOf(bed).socket,
    '--namespace',
    'k8s.io',
    ...words,
  ];
}
