import { readFileSync } from 'node:fs';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';

/**
 * The namespace of the pod: POD_NAMESPACE, or else the claim of the pod-bound token. The injected token is always there,
 * while a pod may have no mounted service account.
 */
export function podNamespace(tokenPath: string, env: NodeJS.ProcessEnv): string {
  const given = env['POD_NAMESPACE'];
  if (given !== undefined && given !== '') return given;
  const namespace = claimedNamespace(readToken(tokenPath));
  if (namespace !== undefined) return namespace;
  throw new OperationalError(
    errors.CredentialsUnavailable,
    `The token ${tokenPath} has no claim of a namespace. Set POD_NAMESPACE, or check that the volume is a projected service account token.`,
  );
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new OperationalError(errors.CredentialsUnavailable, `The token file ${path} cannot be read.`, {
      cause,
    });
  }
}

/** The claim is not verified: the gateway does that. */
function claimedNamespace(token: string): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const namespace: unknown = claims['kubernetes.io']?.namespace;
    return typeof namespace === 'string' && namespace !== '' ? namespace : undefined;
  } catch {
    return undefined;
  }
}
