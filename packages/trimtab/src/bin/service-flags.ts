/** Flags of every program that runs for long, so that they are called and mean the same everywhere. */
export const serviceFlags = {
  healthHost: {
    type: 'string',
    default: '127.0.0.1',
    help: 'Where /healthz, /readyz and /metrics are served.',
  },
  logLevel: {
    type: 'choice',
    choices: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    help: 'What to log.',
  },
} as const;
