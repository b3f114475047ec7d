const signals = ['SIGTERM', 'SIGINT'] as const
/** An orderly stop takes 10 s at most; after this time the process ends without it. */
const patienceMilliseconds = 15_000

/** Resolves at the first signal to stop. A second signal, or a stop that hangs, ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const first = (): void => {
      for (const signal of signals) process.off(signal, first)
      for (const signal of signals) process.once(signal, () => process.exit(1))
      setTimeout(() => process.exit(1), patienceMilliseconds).unref()
      resolve()
    }
    for (const signal of signals) process.on(signal, first)
  })
}
