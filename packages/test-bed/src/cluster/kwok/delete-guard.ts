import type { Bed } from '../bed.ts';
import { call } from '../control-plane/api.ts';
import { BedError } from '../terminal/bed-error.ts';

const name = 'bed-kwok-deletes';

/**
 * KWOK removes a terminating pod by its name alone. Played late, on a busy machine, that hits the pod that a StatefulSet
 * has made in its place, whose end is the reason for the next such delete: the set never gets well. A kubelet names the
 * pod's uid; here the API server refuses whatever is not terminating.
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
            message: 'this is not the pod that ended: it has the same name, and runs',
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
      throw new BedError(`the API server refused the guard of KWOK's deletes with ${answer.status}`, [
        answer.body,
      ]);
  }
}
