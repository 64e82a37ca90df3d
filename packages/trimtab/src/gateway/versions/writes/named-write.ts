import type { ConfigBody } from '../../../api/config-body.ts';
import type { ConfigRollout } from '../../../api/config-rollout.ts';
import type { ConfigAddress } from '../../../core/references/config-address.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import type { WriteForm } from './write-format.ts';

/** A write of a config that names the version that the content becomes. */
export interface NamedWrite {
  address: ConfigAddress;
  request: GatewayRequest;
  version: string;
  /** The sent body, with the annotation instead of `metadata.version`. */
  body: unknown;
}

/** Such a write of a config that exists. */
export interface NamedEdit extends NamedWrite {
  form: WriteForm;
  rollout: ConfigRollout | undefined;
  live: ConfigBody;
}
