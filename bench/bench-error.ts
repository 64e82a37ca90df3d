/** A problem that the user can correct: the message says what is wrong, where, and what to do. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}
