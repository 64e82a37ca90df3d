/** A case that cannot pass on both engines, with the reason. */
export interface Difference {
  /** `area: name of the case`, as the tally prints it. */
  case: string;
  only: 'kubernetes' | 'local';
  because: string;
}

/** All allowed differences between the two engines. A case that runs on one engine only and is not listed fails CI. */
export const differences: readonly Difference[] = [
  {
    case: 'representations: nothing at all is served in protobuf',
    only: 'local',
    because: 'Kubernetes serves its own kinds in protobuf; clients of the local API server fall back to JSON',
  },
];
