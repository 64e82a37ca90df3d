import { connect, type Socket } from 'node:net';
import type { Bed } from './bed.ts';
import { enterNamespaces } from './node/namespaces.ts';
import { bridgeAddress } from './node/network.ts';
import { dialThroughRelay } from './node/relay.ts';
import type { BedFolder } from './state/bed-folder.ts';
import type { BedState } from './state/bed-state.ts';

/** Opens an existing bed. On level 2, reading `within` throws while the bed's namespaces do not exist. */
export function openBed(folder: BedFolder, state: BedState): Bed {
  if (state.level === 1) return { folder, state, address: '127.0.0.1', within: [], dial: dialHere };
  return {
    folder,
    state,
    address: bridgeAddress,
    get within() {
      return enterNamespaces(folder);
    },
    dial: (host, port) => dialThroughRelay(folder, host, port),
  };
}

function dialHere(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket));
    socket.on('error', reject);
  });
}
