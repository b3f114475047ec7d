import { getEnvironmentData, isMainThread, setEnvironmentData, threadId } from 'node:worker_threads'

/** Number of locks for all names. Names that share a lock wait for each other briefly. */
const slotCount = 1024
const slotsKey = 'terrane-turns'
const longestWaitMs = isMainThread ? 250 : 5000

/** Id of the thread that holds each lock, 0 if free. */
const slots = openSlots()
const me = threadId + 1

function openSlots(): Int32Array {
  const given = getEnvironmentData(slotsKey)
  if (given instanceof SharedArrayBuffer) return new Int32Array(given)
  const made = new SharedArrayBuffer(slotCount * Int32Array.BYTES_PER_ELEMENT)
  // Makes the slots available in threads that are started from now on.
  setEnvironmentData(slotsKey, made as unknown as Parameters<typeof setEnvironmentData>[1])
  return new Int32Array(made)
}

/**
 * Runs an action under a process-wide lock for a name. The action must be short, since other threads block. A
 * lock of a dead thread is taken over after some seconds.
 */
export function withNameLock<Result>(name: string, action: () => Result): Result {
  const slot = slotOf(name)
  if (Atomics.load(slots, slot) === me) return action()
  take(slot)
  try {
    return action()
  } finally {
    if (Atomics.compareExchange(slots, slot, me, 0) === me) Atomics.notify(slots, slot, 1)
  }
}

function take(slot: number): void {
  const deadline = performance.now() + longestWaitMs
  for (;;) {
    const holder = Atomics.compareExchange(slots, slot, 0, me)
    if (holder === 0) return
    const leftMs = deadline - performance.now()
    if (leftMs > 0) Atomics.wait(slots, slot, holder, leftMs)
    else if (Atomics.compareExchange(slots, slot, holder, me) === holder) return
  }
}

function slotOf(name: string): number {
  let hash = 0
  for (let at = 0; at < name.length; at += 1) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0
  return (hash >>> 0) % slotCount
}
