import { Refusal } from './client.ts'

const waits = new Set([
  ...['version-not-ready', 'table-changing', 'layer-not-indexed', 'tiles-being-made'],
  // A task that was changed while its rows were being read: those of the task as it is now are asked for.
  'preview-not-ready',
])
const againMs = 1000
const mostTries = 180

/** Asks again as long as the server says that it makes what is asked for; gives up when nobody waits any more. */
export async function whenReady<T>(ask: () => Promise<T>, aborted: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      const isMade = error instanceof Refusal && error.status === 503 && waits.has(error.code)
      if (!isMade || tries >= mostTries || aborted.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }
}
