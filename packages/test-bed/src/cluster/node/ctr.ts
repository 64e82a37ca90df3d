import { type Bed, containersOf } from '../bed.ts';
import { findProgram } from '../prerequisites.ts';

/** containerd's own client, in the namespace where the kubelet looks for images. */
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
