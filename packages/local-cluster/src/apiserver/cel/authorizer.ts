import type { Environment } from '@marcbachmann/cel-js';
import { type Attributes, serviceAccountGroups, type UserInfo } from '../rbac/attributes.ts';

export type Authorise = (attributes: Attributes) => { allowed: boolean; reason: string };

/** Kubernetes' `authorizer` variable: a builder for authorisation checks. */
export class Authorizer {
  readonly user: UserInfo;
  readonly authorise: Authorise;

  constructor(user: UserInfo, authorise: Authorise) {
    this.user = user;
    this.authorise = authorise;
  }
}

class PathCheck {
  readonly authorizer: Authorizer;
  readonly path: string;

  constructor(authorizer: Authorizer, path: string) {
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck {
  readonly authorizer: Authorizer;
  readonly group: string;

  constructor(authorizer: Authorizer, group: string) {
    this.authorizer = authorizer;
    this.group = group;
  }
}

interface Asked {
  group: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
}

class ResourceCheck {
  readonly authorizer: Authorizer;
  readonly asked: Asked;

  constructor(authorizer: Authorizer, asked: Asked) {
    this.authorizer = authorizer;
    this.asked = asked;
  }

  with(more: Partial<Asked>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.asked, ...more });
  }
}

class Decision {
  readonly allowed: boolean;
  readonly reason: string;

  constructor({ allowed, reason }: { allowed: boolean; reason: string }) {
    this.allowed = allowed;
    this.reason = reason;
  }
}

/** Registers the types and functions; `authorizer` itself is a variable of each evaluation. */
export function registerAuthorizer(environment: Environment): void {
  environment.registerType('Authorizer', Authorizer);
  environment.registerType('PathCheck', PathCheck);
  environment.registerType('GroupCheck', GroupCheck);
  environment.registerType('ResourceCheck', ResourceCheck);
  environment.registerType('Decision', Decision);
  const method = (signature: string, handler: (...values: never[]) => unknown) =>
    environment.registerFunction(signature, handler as (...values: unknown[]) => unknown);
  method('Authorizer.path(string): PathCheck', (of: Authorizer, path: string) => new PathCheck(of, path));
  method(
    'Authorizer.group(string): GroupCheck',
    (of: Authorizer, group: string) => new GroupCheck(of, group),
  );
  method('Authorizer.serviceAccount(string, string): Authorizer', serviceAccount);
  method(
    'GroupCheck.resource(string): ResourceCheck',
    ({ authorizer, group }: GroupCheck, resource: string) => {
      return new ResourceCheck(authorizer, { group, resource, subresource: '', namespace: '', name: '' });
    },
  );
  for (const part of ['subresource', 'namespace', 'name'] as const)
    method(`ResourceCheck.${part}(string): ResourceCheck`, (of: ResourceCheck, value: string) =>
      of.with({ [part]: value }),
    );
  method('ResourceCheck.check(string): Decision', ({ authorizer, asked }: ResourceCheck, verb: string) => {
    return new Decision(authorizer.authorise({ user: authorizer.user, verb, ...asked }));
  });
  method('PathCheck.check(string): Decision', ({ authorizer, path }: PathCheck, verb: string) => {
    return new Decision(authorizer.authorise({ user: authorizer.user, verb, path }));
  });
  method('Decision.allowed(): bool', ({ allowed }: Decision) => allowed);
  method('Decision.reason(): string', ({ reason }: Decision) => reason);
  method('Decision.errored(): bool', () => false);
  method('Decision.error(): string', () => '');
}

function serviceAccount(of: Authorizer, namespace: string, name: string): Authorizer {
  const user = {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
  };
  return new Authorizer(user, of.authorise);
}
