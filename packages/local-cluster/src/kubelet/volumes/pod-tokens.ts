import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { resourcePath, serviceAccounts } from '@trimtab/kube/resource.ts';
import type { Pod } from '../../objects/pod.ts';
import { type IssuedToken, isExpired, isRenewalDue } from './token-age.ts';

interface TokenSource {
  audience?: string;
  expirationSeconds?: number;
}

interface TokenRequest {
  spec: { expirationSeconds?: number };
  status: { token: string };
}

/** Cached tokens of one pod's service account. They are bound to the pod, so they become invalid with it. */
export class PodTokens {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #issued = new Map<string, IssuedToken>();

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async token(pod: Pod, source: TokenSource): Promise<string> {
    const { audience = '', expirationSeconds = 3600 } = source;
    const key = `${expirationSeconds} ${audience}`;
    const known = this.#issued.get(key);
    const now = this.#clock.now();
    if (known !== undefined && !isRenewalDue(known, now)) return known.token;
    try {
      const issued = await this.#request(pod, audience, expirationSeconds);
      this.#issued.set(key, issued);
      return issued.token;
    } catch (error) {
      // The known token is still valid; the next refresh retries the renewal.
      if (known !== undefined && !isExpired(known, now)) return known.token;
      throw error;
    }
  }

  async #request({ metadata, spec }: Pod, audience: string, expirationSeconds: number): Promise<IssuedToken> {
    const issuedAt = this.#clock.now();
    const { namespace = '', name, uid } = metadata;
    const account = { namespace, name: spec.serviceAccountName || 'default', subresource: 'token' };
    const answer = await this.#client.raw<TokenRequest>({
      method: 'POST',
      path: resourcePath(serviceAccounts, account),
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {
          ...(audience !== '' && { audiences: [audience] }),
          expirationSeconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
        },
      },
    });
    const lifeMs = (answer.spec.expirationSeconds ?? expirationSeconds) * 1000;
    return { token: answer.status.token, issuedAt, lifeMs };
  }
}
