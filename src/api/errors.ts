/**
 * Every way Trimtab can refuse, in one list: a code that can be searched for, what it means and what to do.
 * docs/reference/errors.md is generated from this list and tested against it.
 */
interface ErrorEntry {
  meaning: string;
  remedy: string;
  /** Exit code of a program that ends because of it; 2 is the caller's mistake, 1 everything else. */
  exitCode: 1 | 2;
}

export const errorRegistry = {
  ConfigInvalid: {
    meaning: 'A flag or an environment variable is missing, unknown or has a value that cannot be used.',
    remedy: 'Correct everything the message lists; `--help` shows each flag with its default.',
    exitCode: 2,
  },
  KubeconfigUnusable: {
    meaning: 'The kubeconfig, or the service account of the pod, does not say how to reach a cluster.',
    remedy:
      'Name one with `--kubeconfig` or KUBECONFIG, and check it with `kubectl --kubeconfig FILE get --raw /version`.',
    exitCode: 2,
  },
  CredentialsUnavailable: {
    meaning:
      'The credential plugin or token file that the kubeconfig names did not give a usable credential.',
    remedy: 'Run the command of the `exec` section by hand; its own message is in the error.',
    exitCode: 1,
  },
  ServerFailed: {
    meaning: 'A server of this program could not listen, or failed while it ran.',
    remedy: 'Choose another address or port, or stop the process that has it.',
    exitCode: 1,
  },
  TlsMaterialUnusable: {
    meaning: 'A certificate or key could not be read, does not belong together, or has expired.',
    remedy: 'Replace the files that the message names; Trimtab picks the new ones up by itself.',
    exitCode: 1,
  },
  StoreUnusable: {
    meaning:
      'The database of the local cluster can not be opened, is damaged or newer, or can not be written.',
    remedy:
      'Do what the message says (free the disk, stop the other process, update Trimtab), or start with another `--state-dir`.',
    exitCode: 1,
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorRegistry;

export class TrimtabError extends Error {
  override readonly name = 'TrimtabError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  get exitCode(): number {
    return errorRegistry[this.code].exitCode;
  }
}
