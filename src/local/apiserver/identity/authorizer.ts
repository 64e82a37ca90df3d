import type { UserInfo } from '../admission/admission.ts';
import type { RequestInfo } from '../request/request-info.ts';

interface Decision {
  allowed: boolean;
  /** For the message, where it is no. */
  reason?: string;
}

/** Says whether somebody may do something. RBAC is one. */
export interface Authorizer {
  authorize(user: UserInfo, info: RequestInfo): Decision;
}

/** Administrators may do everything; nobody else may do anything, until there is RBAC. */
export const mastersOnly: Authorizer = {
  authorize: ({ groups }) => ({ allowed: groups.includes('system:masters') }),
};
