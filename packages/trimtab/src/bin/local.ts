import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { runCommand } from '@trimtab/kube/flags/run-command.ts';
import { isMissingPackage } from '@trimtab/kube/missing-package.ts';

/**
 * Runs the commands of the local cluster as `trimtab local`, with the state folder that `npm start` uses. An
 * installation into a cluster does not include the local cluster.
 */
export async function run(argv: string[]): Promise<number | undefined> {
  const { localClusterCommands } = await import('@trimtab/local-cluster/bin/commands.ts').catch(
    (cause: unknown) => {
      if (!isMissingPackage(cause, '@trimtab/local-cluster')) throw cause;
      const message =
        'the local cluster is not part of this installation; run `npm run trimtab -- local` in a checkout';
      throw new OperationalError(errors.ConfigInvalid, message, { cause });
    },
  );
  return runCommand(localClusterCommands({ name: 'trimtab local', stateDir: './.trimtab' }), argv);
}
