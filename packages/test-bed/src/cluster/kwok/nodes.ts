export function nodeName(index: number): string {
  return `kwok-node-${index}`;
}

/** The KWOK nodes beyond the desired number. Nodes with other names belong to tests. */
export function surplusNodes(existing: readonly string[], wanted: number): string[] {
  return existing.filter((name) => {
    const index = /^kwok-node-(\d+)$/.exec(name)?.[1];
    return index !== undefined && Number(index) >= wanted;
  });
}

export function kwokNode(index: number, { tainted }: { tainted: boolean }): object {
  const name = nodeName(index);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake', 'node.alpha.kubernetes.io/ttl': '0' },
      labels: {
        type: 'kwok',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
      },
    },
    spec: tainted ? { taints: [{ key: 'kwok.x-k8s.io/node', value: 'fake', effect: 'NoSchedule' }] } : {},
  };
}
