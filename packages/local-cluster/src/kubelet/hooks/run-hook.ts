import { setTimeout as delay } from 'node:timers/promises';
import { runInContainer } from '../exec/run-in-container.ts';
import type { RunHook } from '../pod/hooks.ts';
import { httpProbe } from '../probes/http-probe.ts';
import { placeOf } from '../probes/probe-address.ts';
import { tcpProbe } from '../probes/tcp-probe.ts';

/** Timeout of an HTTP or TCP hook. */
const answerMs = 30_000;

/** Runs a lifecycle hook; rejects with the message of its Event when it fails. */
export const runHook: RunHook = async (handler, running, signal) => {
  const { container } = running;
  if (handler.exec) {
    const command = handler.exec.command ?? [];
    const { exitCode, output } = await runInContainer(running, command, signal);
    if (exitCode !== 0)
      throw new Error(
        `Exec lifecycle hook (${goList(command)}) for Container "${container.name}" failed - error: command '${command.join(' ')}' exited with ${exitCode}: ${output.trim()}, message: ${JSON.stringify(output)}`,
      );
  } else if (handler.httpGet) {
    const result = await httpProbe(handler.httpGet, running, answerMs);
    if (result.is !== 'success')
      throw new Error(
        `HTTP lifecycle hook (${handler.httpGet.path ?? ''}) for Container "${container.name}" failed - error: ${result.message}`,
      );
  } else if (handler.tcpSocket) {
    const { host, port } = placeOf(handler.tcpSocket, running);
    const result = await tcpProbe(host, port, answerMs);
    if (result.is !== 'success') throw new Error(result.message);
  } else if (handler.sleep) await delay(handler.sleep.seconds * 1000, undefined, { signal });
};

function goList(words: readonly string[]): string {
  return `[${words.join(' ')}]`;
}
