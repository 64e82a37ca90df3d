import { errors, OperationalError } from '@trimtab/kube/errors.ts';

/** The flag that limits an installation to some namespaces. Each program has its own help. */
export const namespacesFlag = { type: 'list', short: 'n', placeholder: 'NAME' } as const;

/** Returns the namespaces of the flag; undefined when it is not set, which means all namespaces. */
export function managedNamespaces(given: readonly string[]): readonly string[] | undefined {
  const invalid = given.filter((name) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name));
  if (invalid.length > 0)
    throw new OperationalError(
      errors.ConfigInvalid,
      invalid
        .map((name) => `--namespace: "${name}" is not a valid namespace: must be a lowercase RFC 1123 label`)
        .join('\n'),
    );
  return given.length === 0 ? undefined : [...new Set(given)];
}
