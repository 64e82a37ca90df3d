/** Flags of every program that runs for long, so that they are called and mean the same everywhere. */
export const serviceFlags = {
  /** Whose identity that is differs, and so does its help. */
  kubeconfig: { type: 'string', env: 'KUBECONFIG', placeholder: 'FILE' },
  context: { type: 'string', help: 'The context of the kubeconfig; its current one unless told.' },
  healthHost: {
    type: 'string',
    default: '127.0.0.1',
    help: 'Where /healthz, /readyz and /metrics are served.',
  },
  /** The default differs, so that several can run on one machine. */
  healthPort: { type: 'port', help: 'The port for these; 0 lets the system choose.' },
  logLevel: {
    type: 'choice',
    choices: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    help: 'What to log.',
  },
} as const;
