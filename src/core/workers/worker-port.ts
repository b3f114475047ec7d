import { parentPort, Worker } from 'node:worker_threads'
import { mapStackTraces } from '../bundle/stack-traces.ts'
import type { FromWorker, ToWorker, TransferList } from './messages.ts'
import { passNewsOn } from './news.ts'
import { workerEntry } from './worker-entry.ts'

/** Connection from a thread or child process to its starter. */
export interface WorkerPort {
  post(message: FromWorker, transfer?: TransferList): void
  listen(onMessage: (message: ToWorker) => void): void
}

/**
 * Opens the connection. Throws if neither `startThread` nor `startProcess` started this thread or process.
 */
export function openWorkerPort(): WorkerPort {
  mapStackTraces()
  const port = parentPort
  if (port !== null) {
    return {
      post: (message, transfer = []) =>
        transfer.length === 0 ? port.postMessage(message) : port.postMessage(message, [...transfer]),
      listen: (onMessage) => port.on('message', onMessage),
    }
  }
  const send = process.send?.bind(process)
  if (send === undefined) throw new Error('This module runs in a thread or child process')
  dieWithParent()
  passNewsOn(send)
  return { post: (message) => send(message), listen: (onMessage) => process.on('message', onMessage) }
}

/**
 * A separate thread detects that the parent has died, whatever this one does. Signals that a terminal or
 * service manager sends to the whole process group are handled by the parent.
 */
function dieWithParent(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  const guard = new Worker(workerEntry(new URL('./parent-guard.ts', import.meta.url)), {
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8 },
  })
  guard.unref()
}
