import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { actAs } from '../../core/concurrency/acting.ts'
import type { FastifyReply } from '../app-types.ts'
import { TileLimiter } from './tile-limiter.ts'

/** A client that may go away. */
function client() {
  const raw = Object.assign(new EventEmitter(), { writableEnded: false })
  return {
    leave: () => raw.emit('close'),
    reply: { raw, request: { headers: {} } } as unknown as FastifyReply,
  }
}

const untilAborted = (signal: AbortSignal) => setTimeout(60_000, undefined, { signal })

describe('TileLimiter', () => {
  it('ends the work of a client that goes away, and answers nothing', async () => {
    const limiter = new TileLimiter({ deadlineMs: 60_000 })
    const { leave, reply } = client()
    const ended: boolean[] = []
    const run = limiter.run(reply, async (signal) => {
      signal.addEventListener('abort', () => ended.push(true))
      await untilAborted(signal)
    })
    leave()
    assert.equal(await run, undefined)
    assert.deepEqual(ended, [true])
  })

  it('refuses what is too much, and takes more when some have ended', async () => {
    const limiter = new TileLimiter({ most: 2, deadlineMs: 60_000 })
    const clients = [client(), client()]
    const runs = clients.map(({ reply }) => limiter.run(reply, untilAborted))
    await assert.rejects(
      limiter.run(client().reply, async () => 1),
      { kind: 'unavailable', code: 'too-many-tiles', retryAfterSeconds: 2 },
    )
    for (const { leave } of clients) leave()
    await Promise.all(runs)
    assert.equal(await limiter.run(client().reply, async () => 1), 1)
  })

  it('keeps a part for others, however many one owner asks for', async () => {
    const limiter = new TileLimiter({ most: 4, deadlineMs: 60_000 })
    const clients = [client(), client(), client()]
    const run = (owner: string): Promise<unknown> =>
      actAs(owner, '192.0.2.1', () => limiter.run(client().reply, async () => 1))
    const runs = actAs('one', '192.0.2.1', () => clients.map(({ reply }) => limiter.run(reply, untilAborted)))
    await assert.rejects(run('one'), { code: 'too-many-tiles' })
    assert.equal(await run('other'), 1)
    for (const { leave } of clients) leave()
    await Promise.all(runs)
    assert.equal(await run('one'), 1)
  })

  it('ends what takes too long', async () => {
    const limiter = new TileLimiter({ deadlineMs: 20 })
    await assert.rejects(limiter.run(client().reply, untilAborted), {
      code: 'tile-too-slow',
      retryAfterSeconds: 2,
    })
    const failure = new Error('of the work itself')
    await assert.rejects(
      limiter.run(client().reply, async () => {
        throw failure
      }),
      failure,
    )
  })
})
