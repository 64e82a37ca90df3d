import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { Command } from '@trimtab/kube/flags/run-command.ts';
import { isMissingPackage } from '@trimtab/kube/missing-package.ts';

/** `trimtab up` is the program of `npm start`, which an installation into a cluster does not include. */
export async function loadUp(): Promise<Command> {
  const { upCommand } = await import('@trimtab/demo/up/up.ts').catch((cause: unknown) => {
    if (!isMissingPackage(cause, '@trimtab/demo')) throw cause;
    const message =
      'the local cluster and the demo are not part of this installation; run `npx trimtab up` in a checkout';
    throw new OperationalError(errors.ConfigInvalid, message, { cause });
  });
  return upCommand('trimtab up');
}
