import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Sends each child process its order and waits for all reports. Throws when a child reports a failure. */
export function orderAll<Order, Report extends object>(
  children: readonly ChildProcess[],
  order: (n: number) => Order,
  signal: AbortSignal,
): Promise<Exclude<Report, { broken: string }>[]> {
  return Promise.all(
    children.map(async (child, n) => {
      const answered = nextMessage<Report | { broken: string }>(child, signal);
      child.send(order(n) as object);
      const report = await answered;
      if ('broken' in report) throw new Error(report.broken);
      return report as Exclude<Report, { broken: string }>;
    }),
  );
}

/** Returns the next message of a child process. Throws when the process exits first. */
async function nextMessage<T>(child: ChildProcess, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, signal]);
  const ended = once(child, 'exit', { signal: either }).then(([code]) => {
    throw new Error(`a child process of the benchmark exited with code ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: either }), ended]);
    return message;
  } finally {
    over.abort();
    ended.catch(() => {});
  }
}
