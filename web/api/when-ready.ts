import { Refusal } from './client.ts'

const waits = new Set([
  'version-not-ready',
  'table-changing',
  'layer-not-indexed',
  'tiles-being-made',
  // The task changed while its rows were being read: requests the rows of the current task.
  'preview-not-ready',
])
const againMs = 1000
const maxTries = 180

/** Repeats the request while the server prepares the result; stops when aborted. */
export async function whenReady<T>(ask: () => Promise<T>, aborted: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      const isMade = error instanceof Refusal && error.status === 503 && waits.has(error.code)
      if (!isMade || tries >= maxTries || aborted.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }
}
