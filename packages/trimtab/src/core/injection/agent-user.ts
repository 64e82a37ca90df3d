import type { Container, PodTemplate } from '../../api/pod-template.ts';

/** The user of the agent. Signals need the same user as the receiver, or CAP_KILL. */
export interface AgentUser {
  user: number;
  /** The agent has CAP_KILL. */
  kill: boolean;
  warnings: string[];
}

/** A user without a name, as in most images for programs that need no root. */
const anyUser = 65_532;

/** Undefined when the image decides. */
function userOf({ spec }: PodTemplate, container: Container): number | undefined {
  return container.securityContext?.runAsUser ?? spec?.securityContext?.runAsUser ?? undefined;
}

/** The one user of all these containers; undefined when they differ, or when one is not known. */
export function commonUser(pod: PodTemplate, containers: readonly Container[]): number | undefined {
  const [first, ...more] = new Set(containers.map((container) => userOf(pod, container)));
  return more.length === 0 ? first : undefined;
}

export function agentUser(
  pod: PodTemplate,
  signalled: readonly Container[],
  mounting: readonly Container[],
): AgentUser {
  if (signalled.length === 0)
    return { user: commonUser(pod, mounting) ?? anyUser, kill: false, warnings: [] };
  const user = commonUser(pod, signalled);
  if (user !== undefined) return { user, kill: false, warnings: [] };
  if (!signalled.some((container) => isNonRoot(pod, container))) return { user: 0, kill: true, warnings: [] };
  const names = signalled.map(({ name }) => `"${name}"`).join(', ');
  return {
    user: anyUser,
    kill: false,
    warnings: [
      `The agent runs as user ${anyUser} and can send a signal only to processes of the same user: set securityContext.runAsUser of the pod, or the same runAsUser for containers ${names}, or set trimtab.dev/reload to another way, such as "pull"`,
    ],
  };
}

function isNonRoot({ spec }: PodTemplate, { securityContext }: Container): boolean {
  return securityContext?.runAsNonRoot === true || spec?.securityContext?.runAsNonRoot === true;
}
