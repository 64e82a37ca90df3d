import type { VersionLine } from './list-versions.ts';

const columns = [
  { name: 'Version', type: 'string', format: 'name', description: 'The name of the version.', priority: 0 },
  { name: 'State', type: 'string', format: '', description: 'What became of it.', priority: 0 },
  { name: 'Sequence', type: 'integer', format: '', description: 'The order of birth.', priority: 0 },
  {
    name: 'In-Use',
    type: 'string',
    format: '',
    description: 'Whether anything that lives names it.',
    priority: 0,
  },
  { name: 'By', type: 'string', format: '', description: 'Who made it.', priority: 0 },
  { name: 'Created', type: 'string', format: 'date-time', description: 'When it was made.', priority: 0 },
  { name: 'Rejected', type: 'string', format: '', description: 'Why it was rolled back.', priority: 0 },
  { name: 'Object', type: 'string', format: '', description: 'What holds it.', priority: 1 },
];

/** The list as kubectl and dashboards print it: a Table of meta.k8s.io. */
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

/** `application/json;as=Table;v=v1;g=meta.k8s.io`, wherever it stands among what the client takes. */
export function wantsTable(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((each) => {
    const parts = each.split(';').map((part) => part.trim());
    return parts[0] === 'application/json' && parts.includes('as=Table') && parts.includes('g=meta.k8s.io');
  });
}
