/** Description of an error that users see: a code to search for, its meaning and its remedy. */
export interface ErrorEntry {
  code: string;
  meaning: string;
  remedy: string;
  /** Exit code of a program that ends with this error: 2 for invalid input of the user, 1 for everything else. */
  exitCode: 1 | 2;
}

/** Errors of all programs. docs/reference/errors.md is generated from this table, and a test compares the two. */
export const errors = {
  ConfigInvalid: {
    code: 'ConfigInvalid',
    meaning: 'A flag or an environment variable is missing, unknown or has an invalid value.',
    remedy: 'Correct each problem that the message lists; `--help` shows all flags and their defaults.',
    exitCode: 2,
  },
  KubeconfigUnusable: {
    code: 'KubeconfigUnusable',
    meaning:
      'The kubeconfig or the service account of the pod is missing, invalid or does not describe a cluster.',
    remedy:
      'Set `--kubeconfig` or KUBECONFIG, and check the file with `kubectl --kubeconfig FILE get --raw /version`.',
    exitCode: 2,
  },
  CredentialsUnavailable: {
    code: 'CredentialsUnavailable',
    meaning: 'The credential plugin or the token file of the kubeconfig returned no usable credential.',
    remedy:
      'Check the token file, or run the command of the `exec` section by hand; the error contains its standard error.',
    exitCode: 1,
  },
  ServerFailed: {
    code: 'ServerFailed',
    meaning: 'A server of this program could not listen on its address, or failed while it was running.',
    remedy: 'Choose another address or port, or stop the process that uses it.',
    exitCode: 1,
  },
  ConfigRootOccupied: {
    code: 'ConfigRootOccupied',
    meaning: 'A file that the agent did not write is in the place of a file of a config.',
    remedy: 'Move the file that the message names away, or choose another `--configroot` or `--path`.',
    exitCode: 1,
  },
  TlsMaterialUnusable: {
    code: 'TlsMaterialUnusable',
    meaning:
      'A certificate or key cannot be read, the certificate does not match the key, or the certificate has expired.',
    remedy: 'Replace the files that the message names; new files are loaded without a restart.',
    exitCode: 1,
  },
} as const satisfies Record<string, ErrorEntry>;

/** An error that is not a defect of the program. Its message tells the user what to do. */
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
