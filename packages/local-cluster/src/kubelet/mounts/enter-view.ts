import type { View } from './build-view.ts';
import type { MountTools } from './probe-mounts.ts';

/**
 * The command line that runs `command` in a view, in `cwd`. Each program on the way execs the next, so that PID,
 * signals, exit code and environment are the command's own; there is no shell, which would drop variables.
 */
export function enterView(
  { mount, user }: View['namespaces'],
  tools: MountTools,
  cwd: string,
  command: readonly string[],
): string[] {
  const change = [tools.env, '-C', cwd, '--', ...command];
  if (user === undefined || tools.user === undefined)
    return [tools.nsenter, `--mount=${mount}`, '--', ...change];
  // Whoever mounts is root in a user namespace; a second one inside gives the program its own user back.
  return [
    ...[tools.nsenter, `--user=${user}`, `--mount=${mount}`, '--preserve-credentials', '--'],
    ...[tools.unshare, '--user', `--map-user=${tools.user.uid}`, `--map-group=${tools.user.gid}`, '--'],
    ...change,
  ];
}
