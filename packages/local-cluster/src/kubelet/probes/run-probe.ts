import type { Probe } from '../../objects/pod.ts';
import { CommandTimeout, runInContainer } from '../exec/run-in-container.ts';
import type { RunningContainer } from '../pod/probe-results.ts';
import { grpcProbe } from './grpc-probe.ts';
import { httpProbe } from './http-probe.ts';
import { placeOf } from './probe-address.ts';
import { type ProbeResult, rulesOf } from './probe-machine.ts';
import { tcpProbe } from './tcp-probe.ts';

/** Runs a probe once. Never rejects: a probe that cannot run yields an error, which does not change the verdict. */
export async function runProbe(probe: Probe, running: RunningContainer): Promise<ProbeResult> {
  const { timeoutMs } = rulesOf(probe);
  try {
    if (probe.httpGet) return await httpProbe(probe.httpGet, running, timeoutMs);
    if (probe.tcpSocket) {
      const { host, port } = placeOf(probe.tcpSocket, running);
      return await tcpProbe(host, port, timeoutMs);
    }
    if (probe.grpc) {
      const { host, port } = placeOf({ port: probe.grpc.port }, running);
      return await grpcProbe(host, { ...probe.grpc, port }, timeoutMs);
    }
    if (probe.exec) return await execProbe(probe.exec.command ?? [], running, timeoutMs);
    return { is: 'error', message: 'missing probe handler' };
  } catch (error) {
    return { is: 'error', message: error instanceof Error ? error.message : String(error) };
  }
}

async function execProbe(
  command: readonly string[],
  running: RunningContainer,
  timeoutMs: number,
): Promise<ProbeResult> {
  try {
    const { exitCode, output } = await runInContainer(running, command, AbortSignal.timeout(timeoutMs));
    return exitCode === 0 ? { is: 'success' } : { is: 'failure', message: output };
  } catch (error) {
    if (!(error instanceof CommandTimeout)) throw error;
    return { is: 'failure', message: `${error.message} timed out after ${timeoutMs / 1000}s` };
  }
}
