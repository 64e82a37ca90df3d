import type { View } from './build-view.ts';
import type { MountTools } from './probe-mounts.ts';

/**
 * The command line that runs `command` in a view, in `cwd`. Each program execs the next, so PID, signals, exit code
 * and environment are those of the command. No shell is involved, because a shell drops variables with unusual names.
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
  // Mounting requires root in a user namespace; a nested user namespace restores the program's real user.
  return [
    ...[tools.nsenter, `--user=${user}`, `--mount=${mount}`, '--preserve-credentials', '--'],
    ...[tools.unshare, '--user', `--map-user=${tools.user.uid}`, `--map-group=${tools.user.gid}`, '--'],
    ...change,
  ];
}
