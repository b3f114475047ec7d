import { getEnvironmentData, isMainThread, setEnvironmentData, threadId } from 'node:worker_threads'

/** One number for many names: who waits for another name's turn waits for no reason, and not long. */
const slotCount = 1024
const slotsKey = 'terrane-turns'
const longestWaitMs = isMainThread ? 250 : 5000

/** In each the thread whose turn it is, 0 for nobody. */
const slots = openSlots()
const me = threadId + 1

function openSlots(): Int32Array {
  const given = getEnvironmentData(slotsKey)
  if (given instanceof SharedArrayBuffer) return new Int32Array(given)
  const made = new SharedArrayBuffer(slotCount * Int32Array.BYTES_PER_ELEMENT)
  // Threads that are started from now on have it.
  setEnvironmentData(slotsKey, made as unknown as Parameters<typeof setEnvironmentData>[1])
  return new Int32Array(made)
}

/**
 * Does something at which no other thread of this process may be at the same time, by the name of what it is done to. It
 * must be short: others are held up meanwhile. A thread that dies in its turn loses it to who has waited for some seconds.
 */
export function inTurn<Result>(name: string, action: () => Result): Result {
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
