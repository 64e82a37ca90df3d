import type { UserInfo } from '../admission/admission.ts';
import type { Attributes } from '../rbac/attributes.ts';
import { authorise, rulesFor, type Verdict } from '../rbac/authorise.ts';
import type { PolicyRule, RoleSource } from '../rbac/roles.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { reviewToken, type TokenVerdict } from './review-token.ts';
import type { TokenSigner } from './service-account-tokens.ts';

/** Authentication of tokens and authorisation, for requests to the server and for review objects. */
export class Access {
  readonly signer: TokenSigner;
  readonly #roles: RoleSource;
  readonly #storage: ObjectStorage;

  constructor(roles: RoleSource, storage: ObjectStorage, signer: TokenSigner) {
    this.#roles = roles;
    this.#storage = storage;
    this.signer = signer;
  }

  readonly authorise = (attributes: Attributes): Verdict => authorise(this.#roles, attributes);

  rulesFor(user: UserInfo, namespace: string): PolicyRule[] {
    return rulesFor(this.#roles, user, namespace);
  }

  get roles(): RoleSource {
    return this.#roles;
  }

  /** Without audiences, the token must be issued for this server. */
  reviewToken(token: string, audiences: readonly string[], now: number): TokenVerdict {
    return reviewToken(this.signer, this.#storage, token, audiences, now);
  }
}
