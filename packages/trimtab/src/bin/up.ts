import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { Command } from '@trimtab/kube/flags/run-command.ts';
import { isMissingPackage } from '@trimtab/kube/missing-package.ts';

/** `trimtab up` is the program of `npm start`, which an installation into a cluster does not include. */
export async function loadUp(): Promise<Command> {
  // The compiled program would find the sources of a checkout around it, but not what they import.
  if (process.versions['bun'] !== undefined) throw notInstalled();
  const { upCommand } = await import('@trimtab/demo/up/up.ts').catch((cause: unknown) => {
    throw isMissingPackage(cause, '@trimtab/demo') ? notInstalled(cause) : cause;
  });
  return upCommand('trimtab up');
}

function notInstalled(cause?: unknown): OperationalError {
  return new OperationalError(
    errors.ConfigInvalid,
    'the local cluster and the demo are not part of this installation; run `npx trimtab up` in a checkout',
    { cause },
  );
}
