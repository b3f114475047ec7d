import { spawn } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { conflict, FieldFailure } from '../../src/core/errors/errors.ts'
import { ownCpuTime } from '../../src/core/time/cpu-time.ts'
import type { CallContext } from '../../src/core/workers/handlers.ts'
import { Transfer } from '../../src/core/workers/handlers.ts'
import { serveWork } from '../../src/core/workers/serve-work.ts'
import { FormatError } from '../../src/formats/format.ts'

class LowerFailure extends FormatError {
  readonly line = 7
}

/** Calls that the tests of threads and processes send. */
const handlers = {
  add: ({ a, b }: { a: number; b: number }) => a + b,
  pid: () => process.pid,
  echo: (value: unknown) => value,
  fail: (kind: 'failure' | 'fields' | 'format' | 'plain' | 'system' | 'number') => {
    if (kind === 'failure')
      throw conflict('taken', 'It is taken', { errors: ['a', 'b'], cause: new Error('deep') })
    if (kind === 'fields') throw new FieldFailure({ name: ['is missing'] })
    if (kind === 'format')
      throw new LowerFailure('Row 7 is bad', { code: 'bad-row', cause: new TypeError('no') })
    if (kind === 'system') throw Object.assign(new Error('no room'), { code: 'ENOSPC', errno: -28 })
    if (kind === 'number') throw 5
    throw new RangeError('plain')
  },
  unsendable: () => () => 1,
  notes: async (count: number, { notify }: CallContext<{ at: number }>) => {
    for (let at = 0; at < count; at += 1) {
      notify({ at })
      await sleep(20)
    }
    return 'done'
  },
  agree: async (text: string, { ask }: CallContext<never, { text: string }, number>) =>
    (await ask({ text })) + 1,
  wait: async (_nothing: undefined, { signal }: CallContext) => {
    await sleep(60_000, undefined, { signal })
  },
  bytes: (size: number) => {
    const bytes = new Uint8Array(size).fill(7)
    return new Transfer(bytes, [bytes.buffer])
  },
  count: async function* (to: number, { notify, signal }: CallContext<number | 'left'>) {
    try {
      for (let at = 0; at < to && !signal.aborted; at += 1) {
        notify(at)
        yield at
      }
    } finally {
      notify('left')
    }
  },
  pages: function* (sizes: number[]) {
    for (const size of sizes) {
      const bytes = new Uint8Array(size).fill(size)
      yield new Transfer(bytes, [bytes.buffer])
    }
  },
  brokenPages: async function* (good: number) {
    for (let at = 0; at < good; at += 1) yield at
    throw conflict('broken', 'No more')
  },
  spin: (_nothing: undefined, { notify }: CallContext<'spinning'>) => {
    notify('spinning')
    for (;;);
  },
  spinFor: (cpuMs: number) => spinFor(cpuMs),
  sleep: async (ms: number) => {
    await sleep(ms)
    return ms
  },
  spinInSqlite: () => {
    const sql = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n'
    return new DatabaseSync(':memory:').prepare(sql).get()
  },
  leave: () => process.exit(3),
  crash: async () => {
    setImmediate(() => {
      throw new Error('It fell')
    })
    await sleep(60_000)
  },
  environment: () => Object.keys(process.env).sort(),
  start: () => spawn('sleep', ['60'], { stdio: 'ignore' }).pid,
}

export type KitWork = typeof handlers

function spinFor(cpuMs: number): number {
  const startMs = ownCpuTime()
  while (ownCpuTime() - startMs < cpuMs);
  return cpuMs
}

interface KitData {
  say?: string
  refuse?: string
  /** CPU time that its start takes. */
  startCpuMs?: number
}

serveWork<KitWork, KitData | undefined>((data, tell) => {
  if (data?.startCpuMs !== undefined) spinFor(data.startCpuMs)
  if (data?.say !== undefined) tell(data.say)
  if (data?.refuse !== undefined) throw conflict('refused', data.refuse)
  return handlers
})
