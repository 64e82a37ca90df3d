import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Gives each process its order and waits for all of their reports; throws when one of them is broken. */
export function orderAll<Order, Report extends object>(
  children: readonly ChildProcess[],
  order: (n: number) => Order,
  signal: AbortSignal,
): Promise<Exclude<Report, { broken: string }>[]> {
  return Promise.all(
    children.map(async (child, n) => {
      const answered = told<Report | { broken: string }>(child, signal);
      child.send(order(n) as object);
      const report = await answered;
      if ('broken' in report) throw new Error(report.broken);
      return report as Exclude<Report, { broken: string }>;
    }),
  );
}

/** The next message of a process, unless it ends before. */
export async function told<T>(child: ChildProcess, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, signal]);
  const ended = once(child, 'exit', { signal: either }).then(([code]) => {
    throw new Error(`a process of the bench ended with code ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: either }), ended]);
    return message;
  } finally {
    over.abort();
    ended.catch(() => {});
  }
}
