import { randomBytes } from 'node:crypto';
import type { KubeClient, ObjectKey } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { ApiError, isConflict, isNotFound } from '@trimtab/kube/transport/errors.ts';
import { waitFor } from '../watching/wait-for.ts';
import type { Engine } from './engine.ts';

const admission = (kind: string, plural: string): Resource => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
});
const policies = admission('ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
const bindings = admission('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings');

/** A ValidatingAdmissionPolicy that denies updates of one object, except those of Kubernetes' built-in controllers. */
export class UpdateDenial implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #name: string;

  private constructor(client: KubeClient, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** Resolves when the policy is in effect: the API server observes new policies through a watch. */
  static async impose(engine: Engine, resource: Resource, where: Required<ObjectKey>): Promise<UpdateDenial> {
    const client = await engine.connect();
    const ban = new UpdateDenial(client, `test-ban-${randomBytes(5).toString('hex')}`);
    await ban.#create(resource, where);
    await waitFor(`updates of ${resource.kind} ${where.name} are banned`, async () => {
      const object = await client.get(resource, where);
      try {
        await client.update(resource, object, { dryRun: true });
      } catch (error) {
        if (isConflict(error)) return { seen: 'the update conflicted with another write' };
        if (error instanceof ApiError && error.body.message?.includes(ban.#name)) return { met: true };
        throw error;
      }
      return { seen: 'an update was allowed' };
    });
    return ban;
  }

  async lift(): Promise<void> {
    for (const resource of [bindings, policies]) {
      await this.#client.delete(resource, { name: this.#name }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lift();
  }

  async #create(
    { group, version, plural }: Resource,
    { namespace, name }: Required<ObjectKey>,
  ): Promise<void> {
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const metadata = { name: this.#name };
    const rule = { apiGroups: [group], apiVersions: [version], resources: [plural], operations: ['UPDATE'] };
    const policy = {
      apiVersion,
      kind: policies.kind,
      metadata,
      spec: {
        matchConstraints: {
          resourceRules: [{ ...rule, resourceNames: [name] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        },
        matchConditions: [
          {
            name: 'people',
            expression: "!request.userInfo.username.startsWith('system:serviceaccount:kube-system:')",
          },
        ],
        validations: [{ expression: 'false', message: 'updates of this object are denied by the test' }],
      },
    };
    const binding = {
      apiVersion,
      kind: bindings.kind,
      metadata,
      spec: { policyName: this.#name, validationActions: ['Deny'] },
    };
    await this.#client.create(policies, policy);
    await this.#client.create(bindings, binding);
  }
}
