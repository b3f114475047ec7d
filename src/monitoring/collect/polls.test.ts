import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { withoutUndefined } from '../../../tests/support/without-undefined.ts'
import { Polls } from './polls.ts'
import type { CollectedService, CollectorDeps, CollectReport } from './service-collector.ts'

const minute = 60_000

function service(id: number, change: Partial<CollectedService> = {}): CollectedService {
  const source = { kind: 'node-exporter', url: 'http://x/', user: 'jo', password: 'hush' } as const
  return { id, name: `service ${id}`, type: 'hostapp', url: '', checkIntervalSeconds: 60, source, ...change }
}

interface Behaviour {
  collect(now: number, signal: AbortSignal): Promise<CollectReport>
}

/**
 * Polls services with given behaviour; `log` contains the log messages, `closed` the ids of closed services.
 */
function startPolls(test: TestContext, behaviours: Record<number, Behaviour>, limitMs?: number) {
  const log: string[] = []
  const closed: number[] = []
  const parts: CollectorDeps = {
    writer: { append: async () => true, cursor: async () => undefined },
    classifier: { classify: async () => [], scrub: (text) => text },
    log: (_level, facts, message) => log.push(`${message} ${JSON.stringify(facts)}`),
  }
  const create = ({ id }: CollectedService) => ({
    collect: (now: number, signal: AbortSignal) => behaviours[id]?.collect(now, signal) ?? assert.fail(),
    close: async () => {
      closed.push(id)
    },
  })
  const polls = new Polls(parts, create, limitMs)
  test.after(() => polls.close())
  const turn = async (now: number) => {
    polls.begin(now)
    await polls.wait()
    return polls.takeDone()
  }
  return { polls, turn, log, closed }
}

const quick: Behaviour = { collect: async () => ({}) }
/** Ends with its signal. */
const slow: Behaviour = {
  collect: async (_now, signal) => {
    await once(signal, 'abort')
    throw signal.reason
  },
}

describe('Polls', () => {
  it('gives each service a turn in each of its periods, also when the clock jumps', async (test) => {
    const { polls, turn } = startPolls(test, { 1: quick, 2: quick })
    await polls.setServices([service(1), service(2, { checkIntervalSeconds: 120 })])
    const idsAt = async (now: number) => (await turn(now)).map(({ serviceId }) => serviceId)
    assert.deepEqual(await idsAt(0), [1, 2])
    assert.deepEqual(await idsAt(59_000), [])
    assert.deepEqual(await idsAt(minute), [1])
    assert.deepEqual(await idsAt(2 * minute), [1, 2])
    assert.deepEqual(await idsAt(0), [1, 2])
  })

  it('keeps what one throws as its problem, without its password, and goes on with others', async (test) => {
    const broken: Behaviour = { collect: () => Promise.reject(new Error('jo:hush is refused')) }
    const { polls, turn, log } = startPolls(test, { 1: broken, 2: quick })
    await polls.setServices([service(1), service(2)])
    assert.deepEqual(withoutUndefined((await turn(0)).toSorted((a, b) => a.serviceId - b.serviceId)), [
      { serviceId: 1, at: 0, isRead: false, problem: 'jo:*** is refused' },
      { serviceId: 2, at: 0, isRead: true },
    ])
    await turn(minute)
    assert.equal(log.length, 1, 'the same problem is said once')
    assert.doesNotMatch(log.join(), /hush/)
  })

  it('tells of lines that could not be read though the rest was', async (test) => {
    const { polls, turn } = startPolls(test, { 1: { collect: async () => ({ problems: ['one', 'two'] }) } })
    await polls.setServices([service(1)])
    assert.deepEqual(await turn(0), [{ serviceId: 1, at: 0, isRead: true, problem: 'one\ntwo' }])
  })

  it('reads piece after piece in one turn', async (test) => {
    let pieces = 0
    const { polls, turn } = startPolls(test, {
      1: {
        collect: async () => {
          pieces += 1
          return { hasMore: pieces < 5 }
        },
      },
    })
    await polls.setServices([service(1)])
    await turn(0)
    assert.equal(pieces, 5)
  })

  it('ends a turn that takes too long, and never begins another while the call goes on', async (test) => {
    let calls = 0
    const { promise: end, resolve } = Promise.withResolvers<CollectReport>()
    const deaf: Behaviour = {
      collect: () => {
        calls += 1
        return end
      },
    }
    const { polls, turn } = startPolls(test, { 1: deaf, 2: quick }, 20)
    await polls.setServices([service(1), service(2)])
    const problemAt = async (now: number) =>
      (await turn(now)).find(({ serviceId }) => serviceId === 1)?.problem
    assert.match(String(await problemAt(0)), /timeout/)
    assert.equal(await problemAt(minute), 'The collection before has not ended yet')
    assert.equal(calls, 1)
    resolve({})
    await setImmediate()
    assert.equal(await problemAt(2 * minute), undefined)
    assert.equal(calls, 2)
  })

  it('leaves a service at once that is watched no longer, whatever it does', async (test) => {
    const { polls, closed } = startPolls(test, { 1: slow, 2: quick })
    await polls.setServices([service(1), service(2)])
    polls.begin(0)
    await polls.setServices([service(2)])
    assert.deepEqual(closed, [1])
    await polls.wait()
    assert.deepEqual(withoutUndefined(polls.takeDone()), [{ serviceId: 2, at: 0, isRead: true }])
  })

  it('begins anew with a service whose settings have changed, and leaves others alone', async (test) => {
    const { polls, turn, closed } = startPolls(test, { 1: quick, 2: quick })
    await polls.setServices([service(1), service(2)])
    await turn(0)
    await polls.setServices([service(1, { url: 'http://new/' }), service(2)])
    assert.deepEqual(closed, [1])
    assert.deepEqual(
      (await turn(1)).map(({ serviceId }) => serviceId),
      [1],
    )
  })
})
