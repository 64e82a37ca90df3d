import type { Handler } from '../../objects/pod.ts';
import type { RunningContainer } from './probe-results.ts';

/** Runs a lifecycle hook of a container; rejects when it fails. The signal aborts when its time is over. */
export type RunHook = (handler: Handler, running: RunningContainer, signal: AbortSignal) => Promise<void>;
