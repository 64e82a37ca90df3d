import { connect } from 'node:net';
import { dialProblem, hostAndPort } from './probe-address.ts';
import type { ProbeResult } from './probe-machine.ts';

/** Succeeds when a connection can be opened. */
export function tcpProbe(host: string, port: number, timeoutMs: number): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (result: ProbeResult) => {
      socket.destroy();
      resolve(result);
    };
    socket.on('connect', () => end({ is: 'success' }));
    socket.on('timeout', () =>
      end({ is: 'failure', message: `dial tcp ${hostAndPort(host, port)}: i/o timeout` }),
    );
    socket.on('error', (error) =>
      end({ is: 'failure', message: dialProblem(hostAndPort(host, port), error) }),
    );
  });
}
