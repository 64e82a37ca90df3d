import type { RequestOptions } from 'node:https';
import { errors, OperationalError } from '../errors.ts';
import { isMissingPackage } from '../missing-package.ts';
import type { CredentialSource } from './credential-source.ts';
import type { Cluster, User } from './kubeconfig-entries.ts';

/**
 * Legacy auth providers (oidc, gcp, azure), implemented by `@kubernetes/client-node`. The library is imported only
 * when a kubeconfig has an auth provider, because it takes 80 MB of memory and is an optional dependency.
 */
export function authProvider(user: User, cluster: Cluster): CredentialSource {
  const load = async () => {
    const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
    const config = new KubeConfig();
    config.loadFromClusterAndUser(cluster, user);
    return config;
  };
  let config: ReturnType<typeof load> | undefined;
  return {
    async current() {
      const options: RequestOptions = {};
      try {
        config ??= load();
        await (await config).applyToHTTPSOptions(options);
      } catch (cause) {
        throw new OperationalError(
          errors.CredentialsUnavailable,
          `The auth-provider of user '${user.name}' returned no credential${isMissingPackage(cause, '@kubernetes/client-node') ? ': the package @kubernetes/client-node, which auth providers require, is not installed' : ''}. Use an exec plugin instead.`,
          { cause },
        );
      }
      const { Authorization: authorization } = Object.fromEntries(Object.entries(options.headers ?? {}));
      return { headers: typeof authorization === 'string' ? { authorization } : {} };
    },
    invalidate() {
      config = undefined;
    },
  };
}
