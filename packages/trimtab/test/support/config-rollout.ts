import type { KubeObject } from '@trimtab/kube/wire.ts';
import { build, type Mod } from '@trimtab/test-bed/objects/build.ts';
import { addKind } from '@trimtab/test-bed/objects/resources.ts';
import {
  type ConfigRolloutSpec,
  configRollouts,
  type RolloutStrategy,
} from '../../src/api/config-rollout.ts';
import { rolloutName } from '../../src/core/version/object-names.ts';

addKind(configRollouts);

/** A ConfigRollout as users write it, without the fields that the API server defaults. */
export interface WrittenConfigRollout extends KubeObject {
  spec: Pick<ConfigRolloutSpec, 'config'> &
    Partial<Omit<ConfigRolloutSpec, 'strategy'>> & { strategy?: Partial<RolloutStrategy> };
}

/** Builds the ConfigRollout of the ConfigMap `config`, or of a Secret when `config` is `secret/NAME`. */
export function configRollout(
  config: string,
  strategy: Partial<RolloutStrategy> = {},
  ...mods: Mod<WrittenConfigRollout>[]
): WrittenConfigRollout {
  const isSecret = config.startsWith('secret/');
  const [kind, name] = isSecret ? (['Secret', config.slice(7)] as const) : (['ConfigMap', config] as const);
  const plain: WrittenConfigRollout = {
    apiVersion: 'trimtab.dev/v1alpha1',
    kind: 'ConfigRollout',
    metadata: { name: rolloutName(kind, name) },
    spec: { config: { kind, name }, strategy },
  };
  return build(plain, mods);
}
