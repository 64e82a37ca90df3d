/**
 * The signals of Linux that a program can handle, so without SIGKILL and SIGSTOP. The list does not come from the
 * operating system, because the injector may run on another one than the pods.
 */
const handled = new Set(
  `HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT TSTP TTIN TTOU URG XCPU XFSZ VTALRM
  PROF WINCH IO PWR SYS`.split(/\s+/),
);

/** `SIGHUP` for `SIGHUP`, `HUP` and `hup`. Undefined for other text, also for numbers and for SIGKILL and SIGSTOP. */
export function handledSignal(text: string): string | undefined {
  const name = text.toUpperCase().replace(/^SIG/, '');
  return handled.has(name) ? `SIG${name}` : undefined;
}
