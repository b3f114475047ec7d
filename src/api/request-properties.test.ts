import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { fastify } from 'fastify'
import { Failure } from '../core/errors/errors.ts'
import type { FastifyReply } from './app-types.ts'
import { clientSignal, requestSignal } from './request-properties.ts'

type Answer = (signal: AbortSignal, reply: FastifyReply) => Promise<unknown>

/** A server that gives each request so long; gives its address. */
async function serve(t: TestContext, requestMs: number, answer: Answer): Promise<string> {
  const app = fastify()
  app.decorate('requestMs', requestMs)
  app.get('/', (_request, reply) => answer(requestSignal(reply as FastifyReply), reply as FastifyReply))
  t.after(() => app.close())
  return app.listen({ host: '127.0.0.1', port: 0 })
}

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }))

describe('requestSignal', () => {
  it('aborts at the deadline, with a failure that says when to come again', async (t) => {
    const reason = Promise.withResolvers<unknown>()
    const url = await serve(t, 50, async (signal) => {
      reason.resolve(await aborted(signal))
      return {}
    })
    await fetch(url)
    const failure = await reason.promise
    assert.ok(failure instanceof Failure)
    const { kind, code, retryAfterSeconds } = failure
    assert.deepEqual(
      { kind, code, retryAfterSeconds },
      { kind: 'unavailable', code: 'request-too-slow', retryAfterSeconds: 5 },
    )
  })

  it('leaves an answer alone that has begun, until its client goes away', async (t) => {
    const left = Promise.withResolvers<unknown>()
    const begun = Promise.withResolvers<AbortSignal>()
    const url = await serve(t, 50, async (signal, reply) => {
      reply.hijack()
      reply.raw.writeHead(200)
      reply.raw.write('a')
      begun.resolve(signal)
      left.resolve(await aborted(signal))
    })
    const client = new AbortController()
    const reply = await fetch(url, { signal: client.signal })
    const signal = await begun.promise
    // The deadline was set before this timer.
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal(signal.aborted, false)
    client.abort()
    await reply.text().catch(() => undefined)
    assert.match(String(await left.promise), /went away/)
  })

  it('is the same for each call of a request, with one listener', async (t) => {
    const counts: number[] = []
    const url = await serve(t, 60_000, async (signal, reply) => {
      const before = reply.raw.listenerCount('close')
      for (let call = 0; call < 20; call += 1) assert.equal(requestSignal(reply), signal)
      const client = clientSignal(reply)
      assert.equal(clientSignal(reply), client)
      counts.push(reply.raw.listenerCount('close') - before)
      return {}
    })
    for (const _ of [1, 2]) assert.equal((await fetch(url)).status, 200)
    assert.deepEqual(counts, [1, 1])
  })
})
