/** A case that cannot hold on both engines, and why. */
export interface Difference {
  /** `area: name of the case`, as the tally prints it. */
  case: string;
  only: 'kubernetes' | 'local';
  because: string;
}

/** Everything in which the two engines may differ. A case that runs on one engine only and is not here fails CI. */
export const differences: readonly Difference[] = [
  {
    case: 'JSON and merge patches: an apply patch creates, and owns what it names',
    only: 'kubernetes',
    because: 'the local API server has no server-side apply',
  },
  {
    case: 'JSON and merge patches: an apply patch is of a type that this server does not take',
    only: 'local',
    because: 'the local API server has no server-side apply, and says so',
  },
  {
    case: 'representations: nothing at all is served in protobuf',
    only: 'local',
    because: 'Kubernetes serves its own kinds in protobuf; clients of the local API server fall back to JSON',
  },
];
