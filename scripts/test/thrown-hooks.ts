type Listener = (suite: string) => void

let listener: Listener = () => undefined

/** Sets the function that is called with the name of a suite in which an `after` hook threw. */
export function onThrownHook(given: Listener): void {
  listener = given
}

/** Runs an `after` hook of a suite, and reports if it throws or rejects. */
export function watchHook<Result>(suite: string, run: () => Result): Result {
  try {
    const result = run()
    if (result instanceof Promise) result.catch(() => listener(suite))
    return result
  } catch (error) {
    listener(suite)
    throw error
  }
}
