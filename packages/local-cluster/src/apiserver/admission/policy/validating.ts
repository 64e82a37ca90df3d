import type { Authorise } from '../../cel/authorizer.ts';
import { StatusError } from '../../errors/status-error.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import { type AdmissionPlugin, type Attributes, nameInRefusals } from '../admission.ts';
import { admissionRequestOf, isExempt } from '../request-of.ts';
import { admitByPolicies, type ValidatingPolicySource } from './admit.ts';
import type { Failure } from './evaluate.ts';

const codes: Record<string, number> = {
  Unauthorized: 401,
  Forbidden: 403,
  Invalid: 422,
  RequestEntityTooLarge: 413,
};

/** Evaluates the ValidatingAdmissionPolicies of the cluster for every write. */
export function validatingPolicies(
  source: ValidatingPolicySource,
  storage: ObjectStorage,
  authorise: Authorise,
): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(attributes) {
      if (isExempt(attributes) || source.bindings().length === 0) return;
      const request = admissionRequestOf(attributes, storage);
      const { denied, warnings, annotations } = admitByPolicies(source, request, authorise);
      for (const [key, value] of Object.entries(annotations)) attributes.annotate(key, value);
      for (const warning of warnings) attributes.warn(warning);
      if (denied !== undefined) throw refusal(attributes, denied);
    },
  };
}

function refusal(attributes: Attributes, { reason, message }: Failure): StatusError {
  const { kind } = attributes;
  const name = nameInRefusals(attributes);
  const full = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
  const whom = name === '' ? full : `${full} ${JSON.stringify(name)}`;
  return new StatusError(codes[reason] ?? 422, reason, `${whom} is forbidden: ${message}`, {
    ...(name !== '' && { name }),
    ...(kind.group !== '' && { group: kind.group }),
    kind: kind.plural,
    causes: [{ message }],
  });
}
