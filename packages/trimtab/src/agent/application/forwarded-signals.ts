/**
 * The signals that the agent forwards to its application: all that a program can receive from others. Not those that
 * report an error of the agent itself, nor SIGCHLD, which reports the end of its children.
 */
export const forwardedSignals = [
  'SIGTERM',
  'SIGINT',
  'SIGQUIT',
  'SIGHUP',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGCONT',
  'SIGWINCH',
] as const satisfies readonly NodeJS.Signals[];
