import type { TransferListItem } from 'node:worker_threads'
import { Worker } from 'node:worker_threads'
import { cpuTimeOfThread, isThreadIdle } from '../time/cpu-time.ts'
import type { Handlers } from './handlers.ts'
import type { FromWorker } from './messages.ts'
import { tellEnd } from './news.ts'
import { workerEntry } from './worker-entry.ts'
import type { Carrier, CarrierEvents, StartOptions } from './worker-handle.ts'
import { WorkerEnded, WorkerHandle } from './worker-handle.ts'

/** Data and memory limit of a thread. */
export interface ThreadOptions extends StartOptions {
  maxOldGenerationSizeMb?: number
}

/** A small young generation: with the default each thread retains some 50 MB of garbage. */
const maxYoungGenerationSizeMb = 8

/** Starts a thread whose file calls `serveWork`: `startThread<typeof handlers>(new URL('./x.ts', import.meta.url))`. */
export function startThread<H extends Handlers>(file: URL, options: ThreadOptions = {}): WorkerHandle<H> {
  return new WorkerHandle<H>((events) => openThread(file, options, events), options)
}

function openThread(file: URL, { maxOldGenerationSizeMb }: ThreadOptions, events: CarrierEvents): Carrier {
  const worker = new Worker(workerEntry(file), {
    resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb },
  })
  const { threadId } = worker
  worker.on('exit', () => tellEnd({ pid: process.pid, threadId }))
  worker.on('message', (message: FromWorker) => events.onMessage(message))
  worker.on('error', (error) => events.onEnd(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', (code) => events.onEnd(new WorkerEnded(`The thread has ended with code ${code}`)))
  return {
    post: (message, transfer) => worker.postMessage(message, transfer as TransferListItem[] | undefined),
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    kill: () => void worker.terminate(),
    isIdle: (tid) => tid !== undefined && isThreadIdle(tid),
    cpuMs: (tid) => (tid === undefined ? undefined : cpuTimeOfThread(tid)),
  }
}
