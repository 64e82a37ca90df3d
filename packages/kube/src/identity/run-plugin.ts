import { spawn } from 'node:child_process';
import type { Clock } from '../clock.ts';

interface PluginCommand {
  command: string;
  args: string[];
  /** Added to the environment of this process. */
  env: Record<string, string>;
}

export type PluginResult =
  | { outcome: 'printed'; stdout: string; stderr: string }
  /** `how` completes a sentence that starts with the command: 'exited with code 3'. */
  | { outcome: 'failed'; how: string; stderr: string }
  | { outcome: 'not started'; code: string };

const maxOutputBytes = 1024 * 1024;
const maxStderrLength = 2_000;

/** Runs a credential plugin. Kills it when it exceeds the timeout or the output limit. */
export function runPlugin(plugin: PluginCommand, timeoutMs: number, clock: Clock): Promise<PluginResult> {
  return new Promise((resolve) => {
    const child = spawn(plugin.command, plugin.args, {
      env: { ...process.env, ...plugin.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let killedBecause: string | undefined;
    const kill = (because: string) => {
      killedBecause ??= because;
      child.kill('SIGKILL');
      // A grandchild may hold the pipes open, which would delay the `close` event.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const cancel = clock.after(timeoutMs, () => kill(`did not finish within ${timeoutMs / 1000} s`));
    const stdout: Buffer[] = [];
    let size = 0;
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutputBytes) return kill(`printed more than ${maxOutputBytes} bytes`);
      stdout.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-maxStderrLength);
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      cancel();
      resolve({ outcome: 'not started', code: error.code ?? 'unknown' });
    });
    child.once('close', (code, signal) => {
      cancel();
      if (code === 0 && killedBecause === undefined)
        return resolve({ outcome: 'printed', stdout: Buffer.concat(stdout).toString('utf8'), stderr });
      const how =
        killedBecause ?? (signal === null ? `exited with code ${code}` : `was terminated by ${signal}`);
      resolve({ outcome: 'failed', how, stderr });
    });
  });
}
