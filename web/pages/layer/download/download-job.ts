import { type Signal, signal } from '@preact/signals'
import { type Call, call } from '../../../api/client.ts'

/** A file made by the server. */
export interface Download {
  id: string
  state: 'PENDING' | 'RUNNING' | 'COMPLETE' | 'ERROR'
  progress: number
  total: number
  sizeBytes?: number
  losses?: string[]
  message?: string
}

interface Reply {
  download: Download
}

const askEveryMs = 400

/** The address of the finished file. */
export function fileCall({ id }: Download): Call {
  return { path: `/rest/downloads/${id}/file` }
}

/** One download at a time: requests it, polls it, and cancels it if it is no longer needed. */
export class DownloadJob {
  readonly download: Signal<Download | undefined> = signal(undefined)
  readonly error: Signal<unknown> = signal(undefined)
  readonly isMaking: Signal<boolean> = signal(false)
  #stop = new AbortController()

  /** Ends when the file is there, has failed, or was cancelled; true where it is there. */
  async make(requested: Call): Promise<boolean> {
    this.cancel()
    const stop = new AbortController()
    this.#stop = stop
    this.error.value = undefined
    this.download.value = undefined
    this.isMaking.value = true
    try {
      const headers = { prefer: 'respond-async' }
      await this.#watch((await call<Reply>({ ...requested, headers })).download, stop.signal)
      return this.download.peek()?.state === 'COMPLETE'
    } catch (error) {
      if (!stop.signal.aborted) this.error.value = error
      return false
    } finally {
      if (this.#stop === stop) this.isMaking.value = false
    }
  }

  /** Cancels the download. */
  cancel(): void {
    this.#stop.abort()
    this.isMaking.value = false
  }

  async #watch(begun: Download, stop: AbortSignal): Promise<void> {
    const path = `/rest/downloads/${begun.id}`
    let download = begun
    while (download.state === 'PENDING' || download.state === 'RUNNING') {
      if (stop.aborted) {
        await call({ method: 'DELETE', path }).catch(() => undefined)
        return
      }
      this.download.value = download
      await new Promise((resolve) => setTimeout(resolve, askEveryMs))
      download = (await call<Reply>({ path })).download
    }
    if (stop.aborted) return
    this.download.value = download
    if (download.state === 'ERROR') throw new Error(download.message)
  }
}
