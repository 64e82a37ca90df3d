/** Flags that all long-running programs share, with the same names and meanings. */
export const serviceFlags = {
  /** Each program adds its own help, because the credentials serve different purposes. */
  kubeconfig: { type: 'string', env: 'KUBECONFIG', placeholder: 'FILE' },
  context: { type: 'string', help: 'Context of the kubeconfig. Defaults to its current context.' },
  healthHost: {
    type: 'string',
    default: '127.0.0.1',
    help: 'Address for /healthz, /readyz and /metrics.',
  },
  /** Each program has its own default, so several programs can run on one machine. */
  healthPort: { type: 'port', help: 'Port for /healthz, /readyz and /metrics; 0 selects a free port.' },
  logLevel: {
    type: 'choice',
    choices: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    help: 'Minimum level of log messages.',
  },
} as const;
