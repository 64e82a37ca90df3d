import type { RequestOptions } from 'node:https';
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import { errors, OperationalError } from '../errors.ts';
import type { CredentialSource } from './credential-source.ts';

/**
 * The older providers (oidc, gcp, azure), which the client library speaks. Loaded when a kubeconfig has one,
 * because that is where the library's 80 MB come in.
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
      config ??= load();
      const options: RequestOptions = {};
      try {
        await (await config).applyToHTTPSOptions(options);
      } catch (cause) {
        throw new OperationalError(
          errors.CredentialsUnavailable,
          `The auth-provider of user '${user.name}' gave no credential. Newer clusters use an exec plugin for it.`,
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
