import { OperationalError } from '@trimtab/kube/errors.ts';
import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { configRollouts } from '../api/config-rollout.ts';
import { Refusal, type Remedy } from '../versions/refusal.ts';

/** Exit codes of all commands but `trimtab diff`, which has those of diff(1). docs/reference/cli.md lists them. */
export const exitCodes = {
  done: 0,
  /** Refused or failed. */
  failed: 1,
  usage: 2,
  rolledBack: 3,
  timedOut: 4,
  /** Ctrl-C, as a shell reports it. */
  interrupted: 130,
} as const;

/** A command that cannot do what it was asked. `hint` says what to do, in one sentence without a period. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly hint: string | undefined;
  readonly exitCode: number;

  constructor(message: string, options: { hint?: string; exitCode?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? exitCodes.failed;
  }
}

/** The command line asks for something that is not possible; exit code 2. */
export function usageError(message: string): CommandFailure {
  return new CommandFailure(message, { exitCode: exitCodes.usage });
}

/** The API server does not serve the kinds of Trimtab. */
export function notInstalled(cause?: unknown): CommandFailure {
  return new CommandFailure(
    `Trimtab is not installed in this cluster: the API server does not serve ${configRollouts.group}/${configRollouts.version}`,
    { hint: 'install it with `trimtab manifests | kubectl apply -f -`, and run `trimtab controller`', cause },
  );
}

/** Prints an error on standard error and returns the exit code. A defect of the program is thrown again. */
export function reportFailure(error: unknown, io: Pick<ProgramIo, 'stderr'>): number {
  const { text, hint, exitCode } = describeFailure(error);
  io.stderr.write(`${text}\n`);
  if (hint !== undefined) io.stderr.write(`hint: ${hint}\n`);
  return exitCode;
}

/** What to do about a refusal, in commands. */
const remedies: Record<Remedy, string> = {
  'create-config': 'create it with `trimtab create configmap` or `trimtab create secret generic`',
  'add-version': 'add a version to it with `trimtab add-version`',
};

/** Messages of the API server and of the connection are those that kubectl prints. */
function describeFailure(error: unknown): { text: string; hint?: string | undefined; exitCode: number } {
  const { failed, usage } = exitCodes;
  if (error instanceof CommandFailure)
    return { text: `error: ${error.message}`, hint: error.hint, exitCode: error.exitCode };
  if (error instanceof OperationalError)
    return { text: `error: ${error.message}`, exitCode: error.exitCode === 2 ? usage : failed };
  if (error instanceof Refusal)
    return {
      text: `Error from server (${error.body.reason}): ${error.message}`,
      hint: error.remedy && remedies[error.remedy],
      exitCode: failed,
    };
  if (error instanceof ApiError && isUnknownKind(error)) return describeFailure(notInstalled(error));
  if (error instanceof ApiError) return { ...describeStatus(error), exitCode: failed };
  if (error instanceof NetworkError) return { ...describeNetwork(error), exitCode: failed };
  throw error;
}

/** A missing object has its name in the details; a missing kind has neither a name nor a kind. */
function isUnknownKind({ status, request, body }: ApiError): boolean {
  const path = request?.split(' ')[1] ?? '';
  return status === 404 && path.startsWith(`/apis/${configRollouts.group}/`) && !body.details?.name;
}

function describeStatus({ status, reason, body, message }: ApiError): { text: string; hint?: string } {
  const text = `Error from server (${reason}): ${body.message ?? message}`;
  if (status === 401)
    return {
      text: 'error: You must be logged in to the server (Unauthorized)',
      hint: 'the token or certificate of the kubeconfig is missing, expired or not accepted; log in again, or check it with `kubectl auth whoami`',
    };
  const right = status === 403 ? missingRight(body.message ?? '') : undefined;
  return right === undefined
    ? { text }
    : { text, hint: `this needs the verb ${right}; ask your administrator to grant it` };
}

/** The verb and the resource that RBAC denies, from the message of the API server. */
function missingRight(message: string): string | undefined {
  const match = /cannot (\S+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?/.exec(
    message,
  );
  if (match === null) return undefined;
  const [, verb, resource, group, namespace] = match;
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  return `"${verb}" on "${resource}${group === '' ? '' : `.${group}`}" ${where}`;
}

function describeNetwork({ code, message, sent }: NetworkError): { text: string; hint?: string } {
  const server = /https?:\/\/([^\s/]+)/.exec(message)?.[1];
  if (code === 'ECONNREFUSED' && server !== undefined)
    return {
      text: `The connection to the server ${server} was refused - did you specify the right host or port?`,
      hint: 'check the server of the kubeconfig with `kubectl cluster-info`',
    };
  const unsure =
    sent === 'maybe' ? { hint: 'a write may have taken effect; check before you repeat the command' } : {};
  return { text: `Unable to connect to the server: ${message}`, ...unsure };
}
