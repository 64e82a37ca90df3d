import type { RequestOptions } from 'node:https';
import { errors, OperationalError } from '../errors.ts';
import { isMissingPackage } from '../missing-package.ts';
import type { CredentialSource } from './credential-source.ts';
import type { Cluster, User } from './kubeconfig-entries.ts';

/**
 * The older providers (oidc, gcp, azure), which the client library speaks. Loaded when a kubeconfig has one: the library
 * takes 80 MB of memory, and an installation may be without it.
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
          `The auth-provider of user '${user.name}' gave no credential${isMissingPackage(cause, '@kubernetes/client-node') ? ': this installation lacks @kubernetes/client-node, which speaks to it' : ''}. Use an exec plugin instead, as newer clusters do.`,
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
