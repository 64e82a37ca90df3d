import type { ChangedConfig } from '../endpoint/hook-action.ts';
import type { SourceState } from '../files/file-set.ts';

/** The configs whose version differs. Of configs without versions, an edit changes none: then it is all of them. */
export function changedConfigs(
  sources: readonly SourceState[],
  before: readonly SourceState[],
): ChangedConfig[] {
  const all = sources.map((source) => {
    const previous = before.find(({ kind, name }) => kind === source.kind && name === source.name);
    const isChanged = previous?.version !== source.version || previous?.object !== source.object;
    return { isChanged, config: changedConfig(source, previous) };
  });
  const changed = all.filter(({ isChanged }) => isChanged);
  return (changed.length > 0 ? changed : all).map(({ config }) => config);
}

function changedConfig(
  { kind, name, version = '' }: SourceState,
  previous: SourceState | undefined,
): ChangedConfig {
  return {
    kind: kind as ChangedConfig['kind'],
    name,
    version,
    ...(previous?.version !== undefined && { previous: previous.version }),
  };
}
