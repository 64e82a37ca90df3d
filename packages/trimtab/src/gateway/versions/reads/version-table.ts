import type { VersionLine } from '../../../view/list-versions.ts';

const columns = [
  { name: 'Version', type: 'string', format: 'name', description: 'Name of the version.', priority: 0 },
  {
    name: 'State',
    type: 'string',
    format: '',
    description: 'State of the version: current, being-current, not-current or rejected.',
    priority: 0,
  },
  { name: 'Sequence', type: 'integer', format: '', description: 'Order of creation.', priority: 0 },
  {
    name: 'In-Use',
    type: 'string',
    format: '',
    description: 'Whether an existing pod, ReplicaSet or ControllerRevision references the version.',
    priority: 0,
  },
  { name: 'By', type: 'string', format: '', description: 'User who created the version.', priority: 0 },
  { name: 'Created', type: 'string', format: 'date-time', description: 'Time of creation.', priority: 0 },
  {
    name: 'Rejected',
    type: 'string',
    format: '',
    description: 'Why the version was rolled back.',
    priority: 0,
  },
  {
    name: 'Object',
    type: 'string',
    format: '',
    description: 'Name of the ConfigMap or Secret that holds the version.',
    priority: 1,
  },
];

/** The list as a Table of meta.k8s.io, which kubectl and dashboards print. */
export function versionTable(lines: readonly VersionLine[]): object {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    columnDefinitions: columns,
    rows: lines.map((line) => ({
      cells: [
        line.metadata.name,
        line.state,
        line.sequence,
        line.inUse === undefined ? '<unknown>' : line.inUse ? 'yes' : 'no',
        line.createdBy,
        line.metadata.creationTimestamp,
        line.rejected ?? '',
        line.object,
      ],
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: line.metadata },
    })),
  };
}

/** Whether the client accepts `application/json;as=Table;v=v1;g=meta.k8s.io`, at any position of the header. */
export function wantsTable(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((each) => {
    const parts = each.split(';').map((part) => part.trim());
    return parts[0] === 'application/json' && parts.includes('as=Table') && parts.includes('g=meta.k8s.io');
  });
}
