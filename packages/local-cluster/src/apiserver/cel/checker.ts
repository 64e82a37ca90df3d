/** The parts of the CEL library's macro interface that our macros use. */
export interface Node {
  op: string;
  args: unknown;
  start: number;
  end: number;
}

export interface CelType {
  kind: string;
  name: string;
  keyType?: CelType;
  valueType?: CelType;
}

/** Variables in scope. */
export interface Context {
  forkWithVariable(name: string, type: CelType): Context;
  /** For a context that was made while checking: evaluates in `parent`. */
  reuse(parent: Context): Context;
  setIterValue(value: unknown, evaluator: Evaluator): Context;
}

export interface Checker {
  check(node: Node, context: Context): CelType;
  getType(name: string): CelType;
  createError(code: string, message: string, node?: unknown): Error;
}

export interface Evaluator {
  run(node: Node, context: Context): unknown;
  createError(code: string, message: string, node?: unknown): Error;
}

export interface MacroCall {
  ast: Node;
  args: Node[];
  receiver: Node | null;
}

/** What a macro makes of its call: how to check and how to evaluate it. */
export interface Macro {
  async: false;
  typeCheck(checker: Checker, macro: unknown, context: Context): CelType;
  evaluate(evaluator: Evaluator, macro: unknown, context: Context): unknown;
}
