import { dnsSubdomain } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { defineKind } from '../define-kind.ts';
import type { Kind } from '../kind.ts';

/** Defines a review kind: objects are not stored, and a create returns the result of the review. */
export function defineReview<T extends ApiObject>(
  group: string,
  kind: string,
  answer: (object: T, request: Parameters<NonNullable<Kind['review']>>[1]) => ApiObject,
  namespaced = false,
): Kind {
  const of = group.split('.')[0];
  return {
    ...defineKind<T>({
      group,
      kind,
      plural: `${kind.toLowerCase()}s`,
      namespaced,
      verbs: ['create'],
      definition: `io.k8s.api.${of}.v1.${kind}`,
      strategy: { nameRule: dnsSubdomain },
      columns: [],
    }),
    review: answer as NonNullable<Kind['review']>,
  };
}
