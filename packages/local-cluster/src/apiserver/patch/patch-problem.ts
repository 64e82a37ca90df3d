/** The patch does not fit: `test` failed, a path leads nowhere, a directive is unknown. */
export class PatchProblem extends Error {
  override readonly name = 'PatchProblem';
}
