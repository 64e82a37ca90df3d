/** A way in which a program can refuse or end: a code that can be searched for, what it means and what to do. */
export interface ErrorEntry {
  code: string;
  meaning: string;
  remedy: string;
  /** Exit code of a program that ends because of it; 2 is the caller's mistake, 1 everything else. */
  exitCode: 1 | 2;
}

/** What every program here can run into. docs/reference/errors.md is generated from it and tested against it. */
export const errors = {
  ConfigInvalid: {
    code: 'ConfigInvalid',
    meaning: 'A flag or an environment variable is missing, unknown or has a value that cannot be used.',
    remedy: 'Correct everything the message lists; `--help` shows each flag with its default.',
    exitCode: 2,
  },
  KubeconfigUnusable: {
    code: 'KubeconfigUnusable',
    meaning: 'The kubeconfig, or the service account of the pod, does not say how to reach a cluster.',
    remedy:
      'Name one with `--kubeconfig` or KUBECONFIG, and check it with `kubectl --kubeconfig FILE get --raw /version`.',
    exitCode: 2,
  },
  CredentialsUnavailable: {
    code: 'CredentialsUnavailable',
    meaning:
      'The credential plugin or token file that the kubeconfig names did not give a usable credential.',
    remedy: 'Run the command of the `exec` section by hand; its own message is in the error.',
    exitCode: 1,
  },
  ServerFailed: {
    code: 'ServerFailed',
    meaning: 'A server of this program could not listen, or failed while it ran.',
    remedy: 'Choose another address or port, or stop the process that has it.',
    exitCode: 1,
  },
  TlsMaterialUnusable: {
    code: 'TlsMaterialUnusable',
    meaning: 'A certificate or key could not be read, does not belong together, or has expired.',
    remedy: 'Replace the files that the message names; the new ones are picked up without a restart.',
    exitCode: 1,
  },
} as const satisfies Record<string, ErrorEntry>;

/** What went wrong is not a defect of the program, and its message tells a person what to do. */
export class OperationalError extends Error {
  override readonly name = 'OperationalError';
  readonly code: string;
  readonly exitCode: number;

  constructor(entry: ErrorEntry, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = entry.code;
    this.exitCode = entry.exitCode;
  }
}
