import type { KubeObject } from '@trimtab/kube/wire.ts';
import { build, type Mod } from './build.ts';

export interface Secret extends KubeObject {
  type?: string;
  /** Values in base64, as in the API. */
  data?: Record<string, string>;
  immutable?: boolean;
}

/** Takes plain values and encodes them in base64. */
export function secret(name: string, values: Record<string, string> = {}, ...mods: Mod<Secret>[]): Secret {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  return build<Secret>({ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name }, data }, mods);
}
