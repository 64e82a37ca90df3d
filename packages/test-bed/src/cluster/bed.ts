import type { Socket } from 'node:net';
import type { BedFolder } from './state/bed-folder.ts';
import type { BedState, ContainerState } from './state/bed-state.ts';

/** A bed on either level, as used by the code that brings it up. */
export interface Bed {
  folder: BedFolder;
  state: BedState;
  /** The address that the API server binds to. */
  address: string;
  /** Command prefix that runs a program inside the bed's namespaces. Empty on level 1. */
  within: readonly string[];
  /** Connects to an address in the bed's network. */
  dial(host: string, port: number): Promise<Socket>;
}

export function binary(bed: Bed, name: string): string {
  return `${bed.state.binaries}/${name}`;
}

/** The container settings of a level-2 bed. */
export function containersOf(bed: Bed): ContainerState {
  const { containers } = bed.state;
  if (!containers) throw new Error(`bed '${bed.state.name}' is a level-1 bed and has no containers`);
  return containers;
}
