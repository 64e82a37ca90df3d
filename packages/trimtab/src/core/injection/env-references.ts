import type { Container } from '../../api/pod-template.ts';
import type { ConfigKind } from '../references/references.ts';

/** The places in env and envFrom of a container that name configs, in their order. Writing `source.name` renames. */
export function envReferences(container: Container): { kind: ConfigKind; source: { name?: string } }[] {
  const env = (container.env ?? []).map(({ valueFrom }) => [
    { kind: 'ConfigMap' as const, source: valueFrom?.configMapKeyRef },
    { kind: 'Secret' as const, source: valueFrom?.secretKeyRef },
  ]);
  const envFrom = (container.envFrom ?? []).map(({ configMapRef, secretRef }) => [
    { kind: 'ConfigMap' as const, source: configMapRef },
    { kind: 'Secret' as const, source: secretRef },
  ]);
  return [...env, ...envFrom].flat().flatMap(({ kind, source }) => (source?.name ? [{ kind, source }] : []));
}
