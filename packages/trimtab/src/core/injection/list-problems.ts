import type { PodTemplate } from '../../api/pod-template.ts';

/** What `trimtab inject` reads from a file was not checked by an API server. */
export function listProblems({ spec }: PodTemplate): string[] {
  const containers = ['initContainers', 'containers'].flatMap((field) => {
    const { problems, maps } = readList(spec, field, 'spec');
    const inner = maps.flatMap(([path, container]) =>
      ['env', 'envFrom', 'volumeMounts', 'ports'].flatMap((each) => readList(container, each, path).problems),
    );
    return [...problems, ...inner];
  });
  return [...containers, ...readList(spec, 'volumes', 'spec').problems];
}

function readList(
  owner: object | undefined,
  field: string,
  where: string,
): { problems: string[]; maps: [path: string, map: object][] } {
  const list: unknown = (owner as Record<string, unknown> | undefined)?.[field] ?? [];
  const path = `${where}.${field}`;
  if (!Array.isArray(list)) return { problems: [`${path} of the pod must be a list`], maps: [] };
  const entries = list.map((each: unknown, index): [string, unknown] => [`${path}[${index}]`, each]);
  const isMap = (entry: [string, unknown]): entry is [string, object] =>
    typeof entry[1] === 'object' && entry[1] !== null && !Array.isArray(entry[1]);
  return {
    problems: entries.filter((each) => !isMap(each)).map(([at]) => `${at} of the pod must be a map`),
    maps: entries.filter(isMap),
  };
}
