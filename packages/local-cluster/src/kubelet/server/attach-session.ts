import type { RunningContainer } from '../pod/probe-results.ts';
import type { SessionStreams } from './session-streams.ts';

/** Attaches a client to a running container: to its output from now on, and to its stdin when it has one. */
export async function attachSession(
  streams: SessionStreams,
  { attachment, container }: RunningContainer,
): Promise<void> {
  const { stdin, stdout, stderr, over } = streams;
  const { output, terminal, ended } = attachment;
  const detach = output.attach({ ...(stdout && { stdout }), ...(stderr && { stderr }) });
  if (terminal !== undefined) streams.onResize((size) => terminal.resize(size));
  const left = new Promise<void>((resolve) => {
    if (over.aborted) resolve();
    over.addEventListener('abort', () => resolve(), { once: true });
    stdout?.once('close', resolve);
  });
  const said = new Promise<void>((resolve) => {
    const input = attachment.stdin;
    if (stdin === undefined) return;
    if (input === undefined) return void stdin.resume();
    stdin.pipe(input, { end: false });
    // As in containerd: with stdinOnce, the end of the client's input closes the container's stdin. Otherwise it ends
    // the session.
    const close = () => void input.end();
    if (container.stdinOnce && !container.tty) stdin.once('end', close).once('close', close);
    else stdin.once('end', resolve);
  });
  await Promise.race([ended, left, said]);
  detach();
  if (attachment.stdin !== undefined) stdin?.unpipe(attachment.stdin);
  if (!over.aborted) await streams.finish({ metadata: {}, status: 'Success' });
}
