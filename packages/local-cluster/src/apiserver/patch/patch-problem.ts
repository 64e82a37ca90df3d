/** The patch cannot be applied: `test` failed, a path does not exist, or a directive is unknown. */
export class PatchProblem extends Error {
  override readonly name = 'PatchProblem';
}
