import { badRequest } from '../../errors/status-error.ts';
import type { ApiObject } from '../../object.ts';
import { defineReview } from './review.ts';

const group = 'authentication.k8s.io';

interface TokenReview extends ApiObject {
  spec: { token?: string; audiences?: string[] };
  status?: object;
}

export const tokenReviews = defineReview<TokenReview>(group, 'TokenReview', (object, { services }) => {
  const { token = '', audiences = [] } = object.spec;
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const verdict = services.access.reviewToken(token, audiences, services.clock.now());
  if ('error' in verdict) return { ...object, status: { user: {}, error: verdict.error } };
  const user = { ...verdict.user, groups: [...verdict.user.groups, 'system:authenticated'] };
  return { ...object, status: { authenticated: true, user, audiences: verdict.audiences } };
});

export const selfSubjectReviews = defineReview(group, 'SelfSubjectReview', (object, { user, services }) => {
  const at = `${new Date(services.clock.now()).toISOString().slice(0, 19)}Z`;
  return { ...object, metadata: { ...object.metadata, creationTimestamp: at }, status: { userInfo: user } };
});
