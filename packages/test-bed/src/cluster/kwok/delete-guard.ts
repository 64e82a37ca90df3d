import type { Bed } from '../bed.ts';
import { call } from '../control-plane/api.ts';
import { BedError } from '../terminal/bed-error.ts';

const name = 'bed-kwok-deletes';

/**
 * KWOK deletes a terminating pod by name only. On a busy machine a late delete hits the replacement that a StatefulSet
 * has created, whose termination causes the next such delete: the set never becomes healthy. A kubelet deletes with the
 * UID of the pod as precondition; here the API server rejects KWOK's deletes of pods that are not terminating.
 */
const guard = [
  [
    'validatingadmissionpolicies',
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['DELETE'] },
          ],
        },
        matchConditions: [{ name: 'by-kwok', expression: "request.userInfo.username == 'kwok'" }],
        validations: [
          {
            expression: 'has(oldObject.metadata.deletionTimestamp)',
            message: 'the pod is not terminating: it replaced a deleted pod of the same name',
          },
        ],
      },
    },
  ],
  [
    'validatingadmissionpolicybindings',
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ],
] as const;

export async function ensureDeleteGuard(bed: Bed): Promise<void> {
  for (const [resource, body] of guard) {
    const path = `/apis/admissionregistration.k8s.io/v1/${resource}`;
    const answer = await call(bed, { method: 'POST', path, body });
    if (answer.status !== 201 && answer.status !== 409)
      throw new BedError(
        `creating the admission policy for KWOK's deletes failed with status ${answer.status}`,
        [answer.body],
      );
  }
}
