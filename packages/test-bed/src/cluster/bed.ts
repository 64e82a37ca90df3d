import type { Socket } from 'node:net';
import type { BedFolder } from './state/bed-folder.ts';
import type { BedState, ContainerState } from './state/bed-state.ts';

/** A bed as the parts that bring it up see it: the same for both levels. */
export interface Bed {
  folder: BedFolder;
  state: BedState;
  /** The address that the API server binds to. */
  address: string;
  /** What a command line must begin with to run inside the bed's namespaces; empty on level 1. */
  within: readonly string[];
  /** Connects to an address as the bed's own programs see it. */
  dial(host: string, port: number): Promise<Socket>;
}

export function binary(bed: Bed, name: string): string {
  return `${bed.state.binaries}/${name}`;
}

/** What a level-2 bed knows about its containers. */
export function containersOf(bed: Bed): ContainerState {
  const { containers } = bed.state;
  if (!containers) throw new Error(`bed '${bed.state.name}' is on level 1 and has no containers`);
  return containers;
}
